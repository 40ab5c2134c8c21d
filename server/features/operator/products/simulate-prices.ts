import { sql } from 'kysely'
import type { z } from 'zod'
import type { priceRoutes } from '#contract/operator/price-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { PAYG_MINIMUM_CENTS } from '../../billing/pay-as-you-go/payg-amount.ts'
import {
  currenciesOf,
  heldCurrency,
  heldPriceCents,
  heldUnitAmount,
  type Priced,
  priceIn,
} from '../../billing/plans/price-in.ts'
import { creditPack } from '../../billing/topups/start-topup.ts'
import { DEFAULT_CURRENCY } from '../../shop/shop.ts'
import { toolPriceText } from '../../tools/listing/price-text.ts'
import type { ToolSnapshot } from '../../tools/registry.ts'
import { shownName } from '../account-name.ts'

export type Simulation = z.input<(typeof priceRoutes)['simulatePrices']['data']>

/** How a tool's sums become credits at another price. */
interface Rate {
  id: number
  /** calls: each call that could be charged; charged: each that was; ratio: as the price grew. */
  by: 'calls' | 'charged' | 'ratio'
  old: number
  new: number
}

/**
 * What the calls of the last full month (UTC) would have cost with `changes`, the credits of a call or portion by tool. What a
 * customer pays: the plan that they have now (a year by twelfths), credits beyond it at the price of the pack on sale, and units of
 * pay-as-you-go at theirs; each in the customer's currency, and sums by currency. Throws not_found for a tool that is not served.
 */
export async function simulatePrices(
  { db, tools, shop }: Pick<Deps, 'db' | 'tools' | 'shop'>,
  changes: ReadonlyMap<string, number>,
): Promise<Simulation> {
  const snapshot = tools.current()
  const rates = [...changes].map(([name, credits]) => rateOf(snapshot, name, credits))
  const { kysely } = db
  const pack = (await creditPack(kysely)) ?? null
  const { rows } = await sql<{ month: string; days: number; summed: number }>`
    with m as (select (date_trunc('month', app_now() at time zone 'UTC') - interval '1 month')::date as month)
    select month::text, ((month + interval '1 month')::date - month)::int as days,
      (select count(*)::int from tool_days where day >= month and day < month + interval '1 month') as summed from m`.execute(
    kysely,
  )
  const { month, days, summed } = rows[0]!
  const rated = ratedSql(month, rates)
  const currency = pack?.currency ?? shop.current().currency ?? DEFAULT_CURRENCY
  const [toolLines, customers] = await Promise.all([
    inMemory(kysely, (tx) => byTool(tx, snapshot, rated, changes)),
    inMemory(kysely, (tx) => byCustomer(tx, rated, pack, currency)),
  ])
  return {
    month: month.slice(0, 7),
    days,
    days_summed: summed,
    pack: pack && { credits: pack.credits },
    tools: toolLines,
    ...customers,
  }
}

/** Sums of a million customers in memory: on disk they take several times as long. */
const inMemory = <T>(db: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local work_mem = '128MB'`.execute(tx)
    return work(tx)
  })

function rateOf(snapshot: ToolSnapshot, name: string, credits: number): Rate {
  const found = snapshot.get(name)
  if (!found) throw new AppError('not_found', `There is no tool named ${name}.`)
  const { credits: rule, cache } = found.tool
  const id = snapshot.idOf(name)!
  if (rule.credits === 0) return { id, by: 'calls', old: 0, new: credits }
  // Answers from the cache may cost less, and portions are not counted: both follow the price.
  const isFixed = rule.kind === 'fixed' && cache?.credits === undefined
  return { id, by: isFixed ? 'charged' : 'ratio', old: rule.credits, new: credits }
}

/** SQL: the month's sums with `simulated` credits. */
const ratedSql = (month: string, rates: Rate[]) => sql`(
  select t.account_id, t.tool_id, t.calls, t.credits,
    case r.by when 'calls' then t.calls * r.new when 'charged' then t.charged * r.new
      when 'ratio' then round(t.credits::numeric * r.new / r.old)::bigint else t.credits end as simulated
  from tool_months t
  left join jsonb_to_recordset(${JSON.stringify(rates)}::jsonb) as r (id int, by text, old bigint, new bigint) on r.id = t.tool_id
  where t.month = ${month}::date)`

async function byTool(
  db: Queryable,
  snapshot: ToolSnapshot,
  rated: ReturnType<typeof ratedSql>,
  changes: ReadonlyMap<string, number>,
): Promise<Simulation['tools']> {
  const { rows } = await sql<{ tool_id: number; calls: number; credits: number; simulated: number }>`
    select tool_id, sum(calls)::bigint as calls, sum(credits)::bigint as credits, sum(simulated)::bigint as simulated
    from ${rated} rated group by tool_id`.execute(db)
  const sums = new Map(rows.map((row) => [row.tool_id, row]))
  const served = snapshot.all.map(({ tool }) => tool.name)
  const retired = rows.flatMap(({ tool_id }) => {
    const name = snapshot.nameOf(tool_id)
    return name === null || served.includes(name) ? [] : [name]
  })
  return [...served, ...retired].map((name) => {
    const tool = snapshot.get(name)?.tool
    const { calls = 0, credits = 0, simulated = 0 } = sums.get(snapshot.idOf(name)!) ?? {}
    const rate = changes.has(name) ? rateOf(snapshot, name, changes.get(name)!) : null
    return {
      tool: name,
      title: tool?.title ?? name,
      price: tool ? toolPriceText(tool) : 'no longer served',
      credits_each: tool?.credits.credits ?? null,
      simulated_each: rate?.new ?? tool?.credits.credits ?? null,
      calls,
      credits,
      simulated_credits: simulated,
      estimated: rate !== null && rate.by !== 'charged',
    }
  })
}

/** `ownCurrency`: of customers who have paid for nothing yet. */
async function byCustomer(
  db: Queryable,
  rated: ReturnType<typeof ratedSql>,
  pack: (Priced & { credits: number }) | null,
  ownCurrency: string,
): Promise<Pick<Simulation, 'totals' | 'biggest'>> {
  const packCents = Object.fromEntries(
    (pack ? currenciesOf(pack) : []).map((currency) => [currency, priceIn(pack!, currency)!.price_cents]),
  )
  const cost = (credits: string) => sql`(x.plan_cents + case when x.unlimited then 0
    when x.unit_cents is not null then greatest(round(greatest(${sql.ref(credits)} - x.included, 0) * x.unit_cents), x.least_cents)
    else round(greatest(${sql.ref(credits)} - x.included, 0)::numeric * coalesce(x.pack_cents, 0) / ${pack?.credits ?? 1}::bigint) end)::bigint`
  const { rows } = await sql<{ totals: Simulation['totals']; biggest: Simulation['biggest'] | null }>`
    with packs as (select ${JSON.stringify(packCents)}::jsonb as cents), used as (
      select account_id, sum(credits)::bigint as credits, sum(simulated)::bigint as simulated from ${rated} rated group by account_id
    ), held as (
      select s.account_id, string_agg(distinct p.name, ', ') as plan, sum(p.credits)::bigint as included,
        min(${heldCurrency}) filter (where p.type = 'paid') as currency,
        sum(case when p.interval = 'year' then round((${heldPriceCents}) / 12.0) else ${heldPriceCents} end)::bigint as plan_cents,
        bool_or(p.metadata ->> 'unlimited' = 'true') as unlimited,
        max((${heldUnitAmount})::numeric) filter (where p.metadata ->> 'type' = 'payg') as unit_cents,
        max(coalesce(nullif(substring(p.metadata ->> ('minimum_' || ${heldCurrency}) from '^\\d{1,9}$')::bigint, 0), ${PAYG_MINIMUM_CENTS}))
          filter (where p.metadata ->> 'type' = 'payg') as least_cents
      from used join subscriptions s using (account_id) join plans p using (price_id)
      where s.status in ('active', 'past_due')
        and (s.status = 'active' or coalesce(s.past_due_since, (select app_now())) > (select app_now()) - interval '7 days')
      group by s.account_id
    ), costs as (
      select u.account_id, u.credits, u.simulated, h.plan, x.currency, ${cost('u.credits')} as cents, ${cost('u.simulated')} as simulated_cents
      from used u left join held h using (account_id) left join billing_customers b using (account_id),
        lateral (select coalesce(h.currency, b.currency, ${ownCurrency}) as currency) c,
        lateral (select c.currency, (select (cents ->> c.currency)::bigint from packs) as pack_cents, coalesce(h.included, 0) as included,
          coalesce(h.plan_cents, 0) as plan_cents, coalesce(h.unlimited, false) as unlimited, h.unit_cents, h.least_cents) x
    ), ranked as (
      select *, row_number() over (partition by currency
        order by abs(simulated_cents - cents) desc, abs(simulated - credits) desc, account_id) as place
      from costs where simulated_cents <> cents or simulated <> credits
    ), sums as (
      select currency, count(*) as customers, sum(credits) as credits, sum(simulated) as simulated_credits, sum(cents) as cents,
        sum(simulated_cents) as simulated_cents, count(*) filter (where simulated_cents > cents) as pay_more,
        count(*) filter (where simulated_cents < cents) as pay_less
      from costs group by currency
    )
    select (select jsonb_build_object('credits', coalesce(sum(credits), 0), 'simulated_credits', coalesce(sum(simulated_credits), 0),
        'customers', coalesce(sum(customers), 0), 'money', coalesce(jsonb_agg(jsonb_build_object('currency', currency,
          'pack_cents', (select (cents ->> currency)::bigint from packs), 'customers', customers, 'cents', cents,
          'simulated_cents', simulated_cents, 'pay_more', pay_more, 'pay_less', pay_less) order by customers desc, currency), '[]')) from sums) as totals,
      (select jsonb_agg(jsonb_build_object('account_id', a.public_id, 'name', ${sql.raw(shownName)}, 'plan', r.plan, 'credits', r.credits,
        'simulated_credits', r.simulated, 'currency', r.currency, 'cents', r.cents, 'simulated_cents', r.simulated_cents)
        order by sums.customers desc, r.currency, r.place)
        from ranked r join sums using (currency) join accounts a on a.id = r.account_id where r.place <= 10) as biggest`.execute(
    db,
  )
  return { totals: rows[0]!.totals, biggest: rows[0]!.biggest ?? [] }
}
