import { randomBytes } from 'node:crypto'

/** Values that expire, each stored under an unguessable id. */
export interface ShortLived<T> {
  add: (value: T, prefix?: string) => string
  get: (id: string) => T | undefined
  /** Returns and removes the value, so only the first caller gets it. */
  take: (id: string) => T | undefined
}

const MOST = 10_000

export function createShortLived<T>(lifetimeMs: number): ShortLived<T> {
  const entries = new Map<string, { value: T; until: number }>()
  const forgetOld = (): void => {
    for (const [id, { until }] of entries) {
      if (until > Date.now() && entries.size < MOST) return
      entries.delete(id)
    }
  }
  const get = (id: string): T | undefined => {
    const entry = entries.get(id)
    return entry && entry.until > Date.now() ? entry.value : undefined
  }
  return {
    add(value, prefix = '') {
      forgetOld()
      const id = prefix + randomBytes(20).toString('hex')
      entries.set(id, { value, until: Date.now() + lifetimeMs })
      return id
    },
    get,
    take(id) {
      const value = get(id)
      entries.delete(id)
      return value
    },
  }
}
