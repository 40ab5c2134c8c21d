import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { type Sums, sumNames } from './day-sums.ts'

export type SourceSums = Sums & { source: string; currency: string; label: string }

/** The sums of the days from `from` (null: the first) to before `to`, by currency and source. Days are UTC: `2026-11-27`. */
export async function readSums(db: Queryable, from: string | null, to: string): Promise<SourceSums[]> {
  const { rows } = await sql<SourceSums>`
    select currency, source, ${sql.join(sumNames.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`))}
    from operator_daily where day >= coalesce(${from}::date, '-infinity') and day < ${to}::date
    group by currency, source order by currency = '', currency, source`.execute(db)
  const labels = await sourceLabels(db)
  return rows.map((row) => ({ ...row, label: labels(row.source) }))
}

const fixed: Record<string, string> = {
  pack: 'Credit packs',
  payg: 'Pay-as-you-go',
  tax: 'Tax',
  other: 'Corrections and account credit',
  free: 'Free plan',
  trial: 'Trials',
  promo: 'Granted by operators',
  restore: 'Restored',
  plan: 'Plan without a payment',
  topup: 'Pack without a payment',
}

/** Names sources: a plan by its name and interval. */
export async function sourceLabels(db: Queryable): Promise<(source: string) => string> {
  const plans = await db.selectFrom('plans').select(['price_id', 'name', 'interval']).execute()
  const names = new Map(
    plans.map((plan) => [`plan:${plan.price_id}`, plan.interval === 'year' ? `${plan.name}, yearly` : plan.name]),
  )
  return (source) => names.get(source) ?? fixed[source] ?? source.replace('plan:', 'Plan ')
}

/** The month after, as `2026-12`. */
export function monthAfter(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}

/** The current UTC day by the clock of the rules. */
export async function currentDay(db: Queryable): Promise<string> {
  const { rows } = await sql<{ day: string }>`select (app_now() at time zone 'UTC')::date::text as day`.execute(db)
  return rows[0]!.day
}

/** The money owed in credits that these sums leave. */
export const owedOf = (sums: Sums): number =>
  sums.sold - sums.earned - sums.lapsed - sums.returned - sums.returned_disputed - sums.forfeited

/** The credits that these sums leave. */
export const creditsOf = (sums: Sums): number =>
  sums.granted - sums.burned - sums.repaid - sums.expired - sums.taken_back
