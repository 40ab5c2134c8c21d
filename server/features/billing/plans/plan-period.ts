import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

export interface Period {
  start: Date
  end: Date
}

/** The month that contains `at`, counted from `anchor`. A first period starts at its anchor. */
export async function planPeriod(db: Queryable, anchor: Date, at: Date): Promise<Period> {
  const { rows } =
    await sql<Period>`select period_start as start, period_end as "end" from plan_period(${anchor}, ${at})`.execute(db)
  return rows[0]!
}

/** The current time on the product's clock, which tests can move. */
export async function appNow(db: Queryable): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select app_now() as now`.execute(db)
  return rows[0]!.now
}
