import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { AppError } from '../../http/errors.ts'
import { type FoundKey, findKey } from './find.ts'
import { hashBytes, hashKey, hasKeyForm, isWellFormedKey } from './key-format.ts'
import { createLastUse } from './last-use.ts'
import { networkTest } from './networks.ts'

export interface VerifiedKey {
  keyId: number
  publicId: string
  accountId: number
  /** The bucket of the account's metering tables. */
  bucket: number
  /** The key's scopes; null: everything. */
  scopes: readonly string[] | null
  /** The account's own limit, else the highest of its active plans, else 120; null: no limit. */
  rateLimitPerMinute: number | null
  /** The key's own limit, in addition to the account's; null: none. */
  keyRateLimitPerMinute: number | null
  /** Whether the key may be used from an address; null: from any. */
  allowsAddress: ((address: string) => boolean) | null
}

/** Verifies a presented key; null for anything that is not a live key. */
export interface KeyVerifier {
  /**
   * Returns synchronously for a recently used key, else after one query. Suspended accounts verify; the meter refuses
   * them. Rejects with metering_unavailable when the database does not answer.
   */
  verify: (presented: string) => Promise<VerifiedKey | null> | VerifiedKey | null
  /** Records where a key was used; written every few seconds. */
  used: (key: VerifiedKey, address: string, client: string) => void
  /** Writes what is pending, and stops. */
  close: () => Promise<void>
}

interface Entry {
  key: VerifiedKey
  /** On the clock of `performance.now()`. */
  goodUntilMs: number
}

const MAX_ENTRIES = 100_000
/** A key is reread this often even without a notification (a plan's limit may have changed in the catalog). */
const MAX_AGE_MS = 60_000
const RETRY_AFTER_SECONDS = 2

/**
 * Verifies keys from a cache, which NOTIFY invalidates; while the listening connection is lost, nothing is cached. Junk
 * (wrong form or checksum) costs neither a query nor a cache entry; well-formed keys that do not exist cost a query but
 * no entry.
 */
export function createKeyVerifier({
  db,
  listener,
  log,
}: {
  db: Database
  listener: Listener
  log: Logger
}): KeyVerifier {
  const good = new Map<string, Entry>()
  // Two while the pre-rotation value is still accepted.
  const hashesOfKey = new Map<number, Set<string>>()
  const lastUse = createLastUse(db, log)
  let pending = new Map<string, Promise<VerifiedKey | null>>()
  // Incremented with every notification: a result read before it must not be cached after it.
  let changes = 0

  const forget = (hash: string): void => {
    const entry = good.get(hash)
    if (!entry) return
    good.delete(hash)
    const hashes = hashesOfKey.get(entry.key.keyId)
    hashes?.delete(hash)
    if (hashes?.size === 0) hashesOfKey.delete(entry.key.keyId)
  }

  const changed = (): void => {
    changes++
    // Later callers must not get a result that was read before the change.
    pending = new Map()
  }

  const remember = (hash: string, key: VerifiedKey, expiresInMs: number | null): void => {
    if (good.size >= MAX_ENTRIES) forget(good.keys().next().value!)
    good.set(hash, { key, goodUntilMs: performance.now() + Math.min(MAX_AGE_MS, expiresInMs ?? MAX_AGE_MS) })
    hashesOfKey.set(key.keyId, (hashesOfKey.get(key.keyId) ?? new Set()).add(hash))
  }

  const lookUp = async (hash: string): Promise<VerifiedKey | null> => {
    const seen = changes
    const found = await findKey(db.pool, hashBytes(hash)).catch((error: Error) => {
      log.warn({ error: error.message }, 'could not look up a key')
      throw new AppError(
        'metering_unavailable',
        undefined,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
        { cause: error },
      )
    })
    if (!found) return null
    const key = verified(found)
    if (listener.connected && seen === changes) remember(hash, key, found.expiresInMs)
    return key
  }

  listener.on('key_changed', (keyId) => {
    changed()
    for (const hash of hashesOfKey.get(Number(keyId)) ?? []) forget(hash)
  })
  listener.on('account_changed', (accountId) => {
    changed()
    for (const [hash, { key }] of good) if (key.accountId === Number(accountId)) forget(hash)
  })
  const forgetAll = (): void => {
    changed()
    good.clear()
    hashesOfKey.clear()
  }
  listener.onLost(() => {
    log.warn({ keys: good.size }, 'no key change notifications: every key is looked up in the database')
    forgetAll()
  })

  return {
    verify(presented) {
      if (!hasKeyForm(presented)) return null
      const hash = hashKey(presented)
      const entry = good.get(hash)
      if (entry && entry.goodUntilMs > performance.now()) return entry.key
      if (entry) forget(hash)
      // Cached keys have a valid checksum, so only others are checked.
      if (!isWellFormedKey(presented)) return null
      const underWay = pending.get(hash)
      if (underWay) return underWay
      const mine = pending
      const answer = lookUp(hash).finally(() => mine.delete(hash))
      mine.set(hash, answer)
      return answer
    },
    used: ({ keyId }, address, client) => lastUse.note(keyId, address, client),
    async close() {
      forgetAll()
      await lastUse.close()
    },
  }
}

export function verified(found: FoundKey): VerifiedKey {
  const { keyId, publicId, accountId, bucket, scopes, rateLimitPerMinute, keyRateLimitPerMinute, allowedNetworks } =
    found
  const allowsAddress = allowedNetworks && networkTest(allowedNetworks)
  return Object.freeze({
    keyId,
    publicId,
    accountId,
    bucket,
    scopes,
    rateLimitPerMinute,
    keyRateLimitPerMinute,
    allowsAddress,
  })
}
