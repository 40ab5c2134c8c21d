import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { type Sums, sumNames } from './day-sums.ts'

export type SourceSums = Sums & { source: string; currency: string; label: string }

type Row = Omit<SourceSums, 'label'>

/** The sums of the days from `from` (null: the first) to before `to`, by currency and source. Days are UTC: `2026-11-27`. */
export async function readSums(db: Queryable, from: string | null, to: string): Promise<SourceSums[]> {
  const month = `${to.slice(0, 7)}-01`
  const rows =
    from === null ? added(await sumsBefore(db, month), await sumDays(db, month, to)) : await sumDays(db, from, to)
  const labels = await sourceLabels(db)
  const place = ({ currency, source }: Row) => `${currency || '~'} ${source}`
  return rows.map((row) => ({ ...row, label: labels(row.source) })).sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

async function sumDays(db: Queryable, from: string, to: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select currency, source, ${sql.join(sumNames.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`))}
    from operator_daily where day >= ${from}::date and day < ${to}::date group by currency, source`.execute(db)
  return rows
}

/** The sums of all days before a month: added up once, when the month began. */
async function sumsBefore(db: Queryable, month: string): Promise<Row[]> {
  const rows = await db
    .selectFrom('operator_closings')
    .select(['currency', 'source', 'sums'])
    .where(sql<boolean>`month = ${month}::date`)
    .execute()
  if (rows.length === 0) return sumDays(db, '-infinity', month)
  return rows.map(({ currency, source, sums }) => {
    const closing = sums as Partial<Sums>
    const all = Object.fromEntries(sumNames.map((name) => [name, closing[name] ?? 0])) as Sums
    return { currency, source, ...all }
  })
}

/** Keeps the sums of all days before a month, once these days are folded. */
export const closeMonth = (tx: Queryable, month: string): Promise<unknown> =>
  sql`insert into operator_closings (month, currency, source, sums)
    select ${month}::date, currency, source, jsonb_build_object(${sql.join(sumNames.map((name) => sql`${sql.lit(name)}, sum(${sql.ref(name)})`))})
    from operator_daily where day < ${month}::date group by currency, source on conflict do nothing`.execute(tx)

function added(some: Row[], more: Row[]): Row[] {
  const sums = new Map(some.map((row) => [`${row.currency} ${row.source}`, row]))
  for (const row of more) {
    const key = `${row.currency} ${row.source}`
    const before = sums.get(key)
    const total = (name: (typeof sumNames)[number]) => row[name] + (before?.[name] ?? 0)
    sums.set(key, { ...row, ...(Object.fromEntries(sumNames.map((name) => [name, total(name)])) as Sums) })
  }
  return [...sums.values()]
}

const fixed: Record<string, string> = {
  pack: 'Credit packs',
  payg: 'Pay-as-you-go',
  agent_call: 'Calls paid by agents',
  agent_balance: 'Balances bought by agents',
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
