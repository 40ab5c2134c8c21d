import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { isDemo } from '../keys/credentials.ts'
import type { Caller } from '../metering/meter.ts'
import { type FailedCalls, writeFailedCalls } from './failed-calls.ts'

const FLUSH_AFTER_MS = 1_000

type Who = Pick<Caller, 'accountId' | 'bucket' | 'keyId'>
type Refused = Who & { refused: number }

/**
 * How often callers were refused (400 to 429), by key, for the usage sums, and which calls brought an error, by tool and code, for the
 * operator. Counted in memory and flushed: no row, no charge.
 */
export interface Refusals {
  /** Counts `error` if it is a refusal of a known caller, and as a call of `tool` that failed. */
  count: (caller: Who | undefined, error: { code: string; status: number }, tool: string | null) => void
  close: () => Promise<void>
}

/** Flushes a second after the first refusal. What cannot be written is retried; kill -9 loses that second. */
export function createRefusals(db: Database, log: Logger, flushAfterMs = FLUSH_AFTER_MS): Refusals {
  let counts = new Map<string, Refused>()
  let failures = new Map<string, FailedCalls>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<unknown> = Promise.resolve()

  const add = ({ accountId, bucket, keyId }: Who, refused: number): void => {
    const name = `${accountId} ${keyId}`
    const known = counts.get(name)
    if (known) known.refused += refused
    else counts.set(name, { accountId, bucket, keyId, refused })
    timer ??= setTimeout(flush, flushAfterMs).unref()
  }
  const addFailed = (tool: string, cause: string, calls: number): void => {
    const name = `${tool} ${cause}`
    const known = failures.get(name)
    if (known) known.calls += calls
    else failures.set(name, { tool, cause, calls })
    timer ??= setTimeout(flush, flushAfterMs).unref()
  }
  const flush = (): void => {
    timer = undefined
    const failed = [...failures.values()]
    failures = new Map()
    const taken = [...counts.values()]
    counts = new Map()
    const writing = byBucket(taken).map(([bucket, refusals]) =>
      write(db.of(bucket), refusals).catch((error: Error) => {
        log.warn({ error: error.message }, 'could not write refusal counts, retrying')
        for (const one of refusals) add(one, one.refused)
      }),
    )
    const noting = writeFailedCalls(db, failed).catch((error: Error) => {
      log.warn({ error: error.message }, 'could not write failed calls, retrying')
      for (const { tool, cause, calls } of failed) addFailed(tool, cause, calls)
    })
    flushing = Promise.all([...writing, noting])
  }
  return {
    count(caller, error, tool) {
      if (!caller || isDemo(caller)) return
      if (error.status < 500) add(caller, 1)
      if (tool !== null) addFailed(tool, error.code, 1)
    },
    async close() {
      clearTimeout(timer)
      await flushing
      await Promise.all([
        ...byBucket([...counts.values()]).map(([bucket, refusals]) => write(db.of(bucket), refusals).catch(() => {})),
        writeFailedCalls(db, [...failures.values()]).catch(() => {}),
      ])
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
