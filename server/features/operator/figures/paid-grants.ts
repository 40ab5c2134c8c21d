import { sql } from 'kysely'
import { stablecoin } from '#contract/currency.ts'
import type { Queryable } from '../../../db/database.ts'
import { type GrantMoney, moneyOfMonth } from './grant-money.ts'
import type { PaidStep } from './read-credit-lines.ts'

export interface PaidGrant extends GrantMoney {
  source_type: string
  source_id: string
  source: string
  currency: string
}

export const keyOf = ({ source_type, source_id }: Pick<PaidGrant, 'source_type' | 'source_id'>): string =>
  `${source_type} ${source_id}`

/** The grants of these steps: as they were left, or new with the money that paid for them. One that no payment explains is missing. */
export async function loadPaidGrants(tx: Queryable, steps: PaidStep[]): Promise<Map<string, PaidGrant>> {
  const fresh = steps.filter(({ granted }) => granted > 0)
  const { rows: known } = await sql<PaidGrant>`
    select g.* from unnest(${steps.map((step) => step.source_type)}::text[], ${steps.map((step) => step.source_id)}::text[]) s(source_type, source_id)
    join operator_grants g using (source_type, source_id)`.execute(tx)
  const { rows: bought } = await sql<{
    source_type: string
    source_id: string
    source: string
    currency: string
    cents: number
    month: number
    months: number
  }>`
    with s as (select * from unnest(${fresh.map((step) => step.source_type)}::text[], ${fresh.map((step) => step.source_id)}::text[]) s(source_type, source_id))
    select source_type, source_id, 'plan:' || l.price_id as source, coalesce(i.currency, p.currency) as currency, l.cents, split_part(source_id, ':', 2)::int as month, l.months
    from s join invoice_lines l on l.id = split_part(source_id, ':', 1) join plans p using (price_id) join invoices i on i.id = l.invoice_id where source_type = 'plan_line'
    union all
    select source_type, source_id, 'pack', coalesce(t.currency, (select min(m.currency) from money_ledger m where m.topup_id = t.id), (select min(p.currency) from plans p)),
      coalesce((select sum(m.cents)::bigint from money_ledger m where m.topup_id = t.id and m.cause = 'payment' and m.source <> 'tax'), t.cents), 0, 1
    from s join topups t on t.id::text = source_id where source_type = 'topup'
    union all
    select source_type, source_id, 'agent_' || product, ${stablecoin}, micro_usd, 0, 1
    from s join agent_payments p on p.id = case source_type when 'agent_payment' then source_id::bigint end`.execute(tx)
  const credits = new Map(fresh.map((step) => [keyOf(step), step.granted]))
  const grants = new Map(known.map((grant) => [keyOf(grant), grant]))
  for (const { cents, month, months, ...grant } of bought) {
    const amount = credits.get(keyOf(grant))!
    grants.set(keyOf(grant), {
      ...grant,
      money: moneyOfMonth(cents, month, months),
      credits: amount,
      remaining: amount,
    })
  }
  return grants
}

/** Keeps what is left of the grants; those without credits are forgotten. */
export async function savePaidGrants(tx: Queryable, grants: PaidGrant[]): Promise<void> {
  const column = <K extends keyof PaidGrant>(rows: PaidGrant[], name: K) => rows.map((row) => row[name])
  const [live, spent] = [grants.filter(({ remaining }) => remaining > 0), grants.filter((one) => one.remaining === 0)]
  await sql`
    insert into operator_grants (source_type, source_id, source, currency, money, credits, remaining)
    select * from unnest(${column(live, 'source_type')}::text[], ${column(live, 'source_id')}::text[], ${column(live, 'source')}::text[],
      ${column(live, 'currency')}::text[], ${column(live, 'money')}::bigint[], ${column(live, 'credits')}::bigint[], ${column(live, 'remaining')}::bigint[])
    on conflict (source_type, source_id) do update set money = excluded.money, credits = excluded.credits, remaining = excluded.remaining`.execute(
    tx,
  )
  await sql`
    delete from operator_grants g using unnest(${column(spent, 'source_type')}::text[], ${column(spent, 'source_id')}::text[]) s(source_type, source_id)
    where g.source_type = s.source_type and g.source_id = s.source_id`.execute(tx)
}
