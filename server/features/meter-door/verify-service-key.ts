import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { hashBytes, hashKey } from '../keys/key-format.ts'
import { isWellFormedServiceKey } from './service-key-format.ts'

export interface ServiceKey {
  id: number
  /** Ids of the upstreams whose operations it may charge; null: every operation. */
  upstreams: readonly string[] | null
}

/** Verifies a presented service key. Throws service_key_invalid, the same for a missing, unknown and revoked one. */
export type ServiceKeyVerifier = (presented: string | undefined) => Promise<ServiceKey> | ServiceKey

const MOST_KEPT = 1_000
const MAX_AGE_MS = 60_000
const find = {
  name: 'find-service-key',
  text: 'select id, upstreams from service_keys where hash = $1 and revoked_at is null',
}

/** Keeps live keys in memory until a notification about any service key, and none while the listener is lost. */
export function createServiceKeyVerifier({
  db,
  listener,
  log,
}: Pick<Deps, 'db' | 'listener' | 'log'>): ServiceKeyVerifier {
  const known = new Map<string, { key: ServiceKey; goodUntilMs: number }>()
  // Incremented with every notification: a result read before it must not be kept after it.
  let changes = 0
  const forget = (): void => {
    changes++
    known.clear()
  }
  listener.on('service_key_changed', forget)
  listener.onLost(forget)
  const lookUp = async (hash: string): Promise<ServiceKey> => {
    const seen = changes
    const { rows } = await db.pool.query<ServiceKey>({ ...find, values: [hashBytes(hash)] }).catch((cause: Error) => {
      log.warn({ error: cause.message }, 'could not look up a service key')
      throw new AppError('metering_unavailable', undefined, { retryAfterSeconds: 2 }, { cause })
    })
    const key = rows[0]
    if (!key) throw new AppError('service_key_invalid')
    if (listener.connected && seen === changes) {
      if (known.size >= MOST_KEPT) known.clear()
      known.set(hash, { key, goodUntilMs: performance.now() + MAX_AGE_MS })
    }
    return key
  }
  return (presented) => {
    if (presented === undefined || !isWellFormedServiceKey(presented)) throw new AppError('service_key_invalid')
    const hash = hashKey(presented)
    const entry = known.get(hash)
    return entry && entry.goodUntilMs > performance.now() ? entry.key : lookUp(hash)
  }
}
