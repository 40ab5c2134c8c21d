import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface CachedAnswer {
  fetchedAtMs: number
  body: string
}

/** Upstream answers on disk, named without secrets, and the number of requests in the budget's period. */
export interface HttpCache {
  read: (name: string) => Promise<CachedAnswer | null>
  write: (name: string, body: string) => Promise<void>
  /** Counts one request. Returns false when the budget of this minute or day (UTC) is used up. */
  spend: (budget: { requests: number; per: 'minute' | 'day' }) => Promise<boolean>
}

export function createHttpCache(directory: string, now: () => number): HttpCache {
  const fileOf = (name: string) =>
    join(directory, `${createHash('sha256').update(name).digest('hex').slice(0, 32)}.json`)
  return {
    async read(name) {
      return readJson<CachedAnswer>(fileOf(name))
    },
    async write(name, body) {
      await writeWhole(fileOf(name), JSON.stringify({ fetchedAtMs: now(), body }))
    },
    async spend({ requests, per }) {
      const period = Math.floor(now() / (per === 'minute' ? 60_000 : 86_400_000))
      const file = join(directory, `budget-${per}.json`)
      const before = await readJson<{ period: number; spent: number }>(file)
      const spent = before?.period === period ? before.spent : 0
      if (spent >= requests) return false
      await writeWhole(file, JSON.stringify({ period, spent: spent + 1 }))
      return true
    },
  }
}

async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch {
    return null
  }
}

/** A reader sees the old file or the new one, never a partial one. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.tmp`
  await writeFile(draft, text)
  await rename(draft, file)
}
