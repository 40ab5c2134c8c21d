import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { AppError } from '../../http/errors.ts'
import { isDemo } from '../keys/credentials.ts'
import type { Caller } from '../metering/meter.ts'

const FLUSH_AFTER_MS = 1_000

type Who = Pick<Caller, 'accountId' | 'bucket' | 'keyId'>
type Refused = Who & { refused: number }

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
  let counts = new Map<string, Refused>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<unknown> = Promise.resolve()

  const add = ({ accountId, bucket, keyId }: Who, refused: number): void => {
    const name = `${accountId} ${keyId}`
    const known = counts.get(name)
    if (known) known.refused += refused
    else counts.set(name, { accountId, bucket, keyId, refused })
    timer ??= setTimeout(flush, flushAfterMs).unref()
  }
  const flush = (): void => {
    timer = undefined
    const taken = [...counts.values()]
    counts = new Map()
    const writing = byBucket(taken).map(([bucket, refusals]) =>
      write(db.of(bucket), refusals).catch((error: Error) => {
        log.warn({ error: error.message }, 'could not write refusal counts, retrying')
        for (const one of refusals) add(one, one.refused)
      }),
    )
    flushing = Promise.all(writing)
  }
  return {
    count(caller, error) {
      if (caller && error.status < 500 && !isDemo(caller)) add(caller, 1)
    },
    async close() {
      clearTimeout(timer)
      await flushing
      await Promise.all(
        byBucket([...counts.values()]).map(([bucket, refusals]) => write(db.of(bucket), refusals).catch(() => {})),
      )
    },
  }
}

const byBucket = (refusals: Refused[]): [number, Refused[]][] => [...Map.groupBy(refusals, ({ bucket }) => bucket)]

async function write(db: Database, refusals: readonly Refused[]): Promise<void> {
  const of = (pick: (one: Refused) => number) => refusals.map(pick)
  await db.pool.query(
    `insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, refused)
     select app_now(), $1, $2, array_fill(0::smallint, array[n]), array_fill(0, array[n]), array_fill(0, array[n]), array_fill(0::bigint, array[n]), $3
     from (select cardinality($1::bigint[]) as n) size`,
    [of(({ accountId }) => accountId), of(({ keyId }) => keyId ?? 0), of(({ refused }) => refused)],
  )
}
