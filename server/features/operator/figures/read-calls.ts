import { sql } from 'kysely'
import { eachBucket } from '../../../db/buckets.ts'
import type { Database } from '../../../db/database.ts'

export interface HourOfCalls {
  hour: Date
  success: number
  failed: number
  refused: number
  credits: number
}

/** Calls of all accounts by UTC hour, since yesterday began or 24 hours ago, with the current hour. From sums alone. */
export async function readHours(db: Database): Promise<HourOfCalls[]> {
  const found = await eachBucket(db, async ({ kysely }) => {
    const { rows } = await sql<HourOfCalls>`
      select hour, sum(success)::bigint as success, sum(failed)::bigint as failed, sum(refused)::bigint as refused, sum(credits)::bigint as credits
      from (
        select hour, success, failed, refused, from_credits + from_payg as credits from usage_totals
        where hour >= date_trunc('day', (select app_now()), 'UTC') - interval '24 hours'
        union all select date_trunc('hour', p.at, 'UTC'), c.success, c.failed, coalesce(c.refused, 0), c.credits + coalesce(c.payg, 0)
        from usage_pending p, unnest(p.successes, p.failures, p.credits, p.payg, p.refused) c(success, failed, credits, payg, refused)
      ) s group by 1`.execute(kysely)
    return rows
  })
  const hours = new Map<number, HourOfCalls>()
  for (const row of found.flat()) {
    const sum = hours.get(row.hour.getTime()) ?? { hour: row.hour, success: 0, failed: 0, refused: 0, credits: 0 }
    for (const name of ['success', 'failed', 'refused', 'credits'] as const) sum[name] += row[name]
    hours.set(row.hour.getTime(), sum)
  }
  return [...hours.values()].sort((a, b) => a.hour.getTime() - b.hour.getTime())
}

interface Sample {
  atMs: number
  calls: number
}

const MINUTE_MS = 60_000

/** Calls a second between this request and earlier ones of the last minute, of any operator. */
export class CallRate {
  #samples: Sample[] = []

  /** `calls`: answered so far in these days. Null: there is no earlier request. */
  next(sample: Sample): number | null {
    // A new day drops calls of the day before yesterday.
    this.#samples = this.#samples.filter((one) => one.atMs > sample.atMs - MINUTE_MS && one.calls <= sample.calls)
    const [oldest] = this.#samples
    this.#samples.push(sample)
    const seconds = oldest ? (sample.atMs - oldest.atMs) / 1000 : 0
    return oldest && seconds >= 1 ? Math.round(((sample.calls - oldest.calls) / seconds) * 10) / 10 : null
  }
}
