import { sql } from 'kysely'
import type { Database, Queryable } from '../../db/database.ts'

export interface FailedCalls {
  tool: string
  /** The code of the error that the caller got. */
  cause: string
  calls: number
}

/** Adds to the sums of this hour. */
export async function writeFailedCalls(db: Pick<Database, 'pool'>, failed: readonly FailedCalls[]): Promise<void> {
  if (failed.length === 0) return
  // In one order everywhere: two servers wait for each other's rows, and never in a circle.
  const sorted = failed.toSorted((a, b) => (`${a.tool} ${a.cause}` < `${b.tool} ${b.cause}` ? -1 : 1))
  await db.pool.query(
    `insert into failed_calls as f (hour, tool, cause, calls, last_at)
     select date_trunc('hour', t.at, 'UTC'), tool, cause, calls, t.at
     from (select app_now() as at) t, unnest($1::text[], $2::text[], $3::bigint[]) as given(tool, cause, calls)
     on conflict (hour, tool, cause) do update set calls = f.calls + excluded.calls, last_at = excluded.last_at`,
    [sorted.map(({ tool }) => tool), sorted.map(({ cause }) => cause), sorted.map(({ calls }) => calls)],
  )
}

export interface FailingTool extends FailedCalls {
  lastAt: Date
}

/** Calls without a result in the last `hours` whole and begun hours, by tool and cause, most first. */
export async function readFailedCalls(db: Queryable, hours: number): Promise<FailingTool[]> {
  const { rows } = await sql<FailingTool>`
    select tool, cause, sum(calls)::bigint as calls, max(last_at) as "lastAt" from failed_calls
    where hour > app_now() - make_interval(hours => ${hours})
    group by 1, 2 order by 3 desc, 1, 2 limit 500`.execute(db)
  return rows
}

const KEPT_DAYS = 90

/** Forgets hours of more than ninety days ago. */
export const forgetFailedCalls = (db: Queryable): Promise<unknown> =>
  sql`delete from failed_calls where hour < app_now() - make_interval(days => ${KEPT_DAYS})`.execute(db)
