import { sql } from 'kysely'
import type { Database, Queryable } from '../../../db/database.ts'
import { closedUntil } from './closed-until.ts'
import { foldedUntil } from './folded-until.ts'

const DAY_MS = 86_400_000

/**
 * Adds the closed part of the ledger of money to the tax totals of its days, each line once. Apart from the sums of the ledgers, because
 * it began later. One instance at a time; a second one returns at once.
 */
export async function foldTaxes(db: Database): Promise<void> {
  const closed = await closedUntil(db)
  while (await db.kysely.transaction().execute((tx) => foldWindow(tx, closed)));
}

/** One transaction for each UTC day, or the part of it that is closed. False: there is nothing more. */
async function foldWindow(tx: Queryable, closed: Date): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean; first: Date | null }>`
    select pg_try_advisory_xact_lock(hashtext('operator_folds'), 3) as mine, (select min(at) from money_ledger) as first`.execute(
    tx,
  )
  const from = rows[0]!.mine ? ((await foldedUntil(tx, 'taxes')) ?? rows[0]!.first) : null
  if (from === null || from >= closed) return false
  const midnight = Math.floor(from.getTime() / DAY_MS + 1) * DAY_MS
  const until = new Date(Math.min(midnight, closed.getTime()))
  await addTaxes(tx, from, until)
  await tx
    .insertInto('operator_folds')
    .values({ name: 'taxes', until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ until }))
    .execute()
  return until < closed
}

/**
 * A tax's share of money that moved in the window. What moved by a moment is divided in proportion, rounded so that the shares of an
 * invoice add up; the share of the window is the difference. So a full return takes from each tax what it had, in however many parts.
 */
const shareOf = (moved: 'tax' | 'net') => {
  const column = (name: string) => sql.ref(`${moved}_${name}`)
  const by = (
    when: 'before' | 'after',
  ) => sql`case when ${column('total')} = 0 then case when n = 1 then ${column(when)} else 0 end
    else round(${column(when)}::numeric * ${column('to')} / ${column('total')})
      - round(${column(when)}::numeric * (${column('to')} - ${column('own')}) / ${column('total')}) end`
  return sql`(${by('after')}) - (${by('before')})`
}

/**
 * Divides what the ledger has of payments, refunds and disputes by the taxes of their invoices: as credit notes say, else in
 * proportion.
 */
async function addTaxes(tx: Queryable, from: Date, until: Date): Promise<void> {
  const day = from.toISOString().slice(0, 10)
  await sql`
    with touched as materialized (select distinct ref from money_ledger where at >= ${from} and at < ${until}),
    moved as (
      select m.ref, m.cause = 'payment' as is_payment, m.currency,
        coalesce(sum(m.cents) filter (where m.source = 'tax' and m.tax_shares is null and m.at < ${from}), 0) as tax_before,
        coalesce(sum(m.cents) filter (where m.source = 'tax' and m.tax_shares is null), 0) as tax_after,
        jsonb_agg(m.tax_shares) filter (where m.tax_shares is not null and m.at >= ${from}) as known,
        coalesce(sum(m.cents) filter (where m.source <> 'tax' and m.at < ${from}), 0) as net_before,
        coalesce(sum(m.cents) filter (where m.source <> 'tax'), 0) as net_after
      from touched join money_ledger m using (ref) where m.at < ${until} group by 1, 2, 3
    ), invoiced as (
      select moved.*, i.taxes, i.tax_cents as tax_total, i.amount_cents - i.tax_cents as net_total
      from moved left join lateral (
        select id from invoices where is_payment and id = ref
        union all select i.id from topups t join invoices i on i.topup_id = t.id where is_payment and ref = 'topup:' || t.id
        union all select i.id from reversals r join invoices i using (payment_intent_id) where not is_payment and r.charge_id = ref
        limit 1) found on true
      left join invoices i on i.id = found.id
    ), lines as (
      select invoiced.*, line, n, coalesce((line->>'cents')::bigint, tax_total) as tax_own,
        coalesce((line->>'netCents')::bigint, net_total) as net_own
      from invoiced left join lateral jsonb_array_elements(taxes) with ordinality as one(line, n) on true
    ), shared as (
      select lines.*, sum(tax_own) over through as tax_to, sum(net_own) over through as net_to
      from lines window through as (partition by ref, is_payment, currency order by n)
    ), shares as (
      select currency, is_payment, jsonb_build_object('country', line->'country', 'state', line->'state', 'label', line->'label',
          'percent', line->'percent', 'reason', line->'reason') as tax,
        case when line is null then tax_after - tax_before else ${shareOf('tax')} end
          + coalesce((select sum((own->>(n - 1)::int)::bigint) from jsonb_array_elements(known) as one(own)), 0) as cents,
        case when line is null then net_after - net_before else ${shareOf('net')} end as net_cents
      from shared
    )
    insert into operator_taxes as o (day, currency, tax, net, net_returned, collected, returned)
    select ${day}::date, currency, tax, coalesce(sum(net_cents) filter (where is_payment), 0), coalesce(-sum(net_cents) filter (where not is_payment), 0),
      coalesce(sum(cents) filter (where is_payment), 0), coalesce(-sum(cents) filter (where not is_payment), 0)
    from shares group by currency, tax having sum(abs(cents)) + sum(abs(net_cents)) > 0
    on conflict (day, currency, tax) do update set net = o.net + excluded.net, net_returned = o.net_returned + excluded.net_returned,
      collected = o.collected + excluded.collected, returned = o.returned + excluded.returned`.execute(tx)
}
