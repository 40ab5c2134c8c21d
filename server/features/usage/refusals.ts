import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { AppError } from '../../http/errors.ts'
import { isDemo } from '../keys/demo-key.ts'
import type { Caller } from '../metering/meter.ts'

const FLUSH_AFTER_MS = 1_000

type Who = Pick<Caller, 'accountId' | 'keyId'>

/**
 * How often callers were refused (400 to 429), by key, for the usage sums. Counted in memory and flushed: no row, no
 * charge.
 */
export interface Refusals {
  /** Counts `error` if it is a refusal of a known caller. */
  count: (caller: Who | undefined, error: AppError) => void
  close: () => Promise<void>
}

/** Flushes a second after the first refusal. What cannot be written is retried; kill -9 loses that second. */
export function createRefusals(db: Database, log: Logger, flushAfterMs = FLUSH_AFTER_MS): Refusals {
  let counts = new Map<string, Who & { refused: number }>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  const add = ({ accountId, keyId }: Who, refused: number): void => {
    const name = `${accountId} ${keyId}`
    const known = counts.get(name)
    if (known) known.refused += refused
    else counts.set(name, { accountId, keyId, refused })
    timer ??= setTimeout(flush, flushAfterMs).unref()
  }
  const flush = (): void => {
    timer = undefined
    const taken = [...counts.values()]
    counts = new Map()
    flushing = write(db, taken).catch((error: Error) => {
      log.warn({ error: error.message }, 'could not write refusal counts, retrying')
      for (const one of taken) add(one, one.refused)
    })
  }
  return {
    count(caller, error) {
      if (caller && error.status < 500 && !isDemo(caller)) add(caller, 1)
    },
    async close() {
      clearTimeout(timer)
      await flushing
      const left = [...counts.values()]
      if (left.length > 0) await write(db, left).catch(() => {})
    },
  }
}

async function write(db: Database, refusals: readonly (Who & { refused: number })[]): Promise<void> {
  const of = (pick: (one: Who & { refused: number }) => number) => refusals.map(pick)
  await db.pool.query(
    `insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, refused)
     select app_now(), $1, $2, array_fill(0::smallint, array[n]), array_fill(0, array[n]), array_fill(0, array[n]), array_fill(0::bigint, array[n]), $3
     from (select cardinality($1::bigint[]) as n) size`,
    [of(({ accountId }) => accountId), of(({ keyId }) => keyId ?? 0), of(({ refused }) => refused)],
  )
}
