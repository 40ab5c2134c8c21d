import { sql } from 'kysely'
import type { z } from 'zod'
import type { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { currentDay, monthAfter } from './read-sums.ts'

type Answer = z.input<(typeof figuresRoutes)['getTaxes']['data']>

/**
 * A line's share of money that moved in the month. What moved by a moment is divided in proportion, rounded so that the shares of an
 * invoice add up; the share of the month is the difference. So a full return takes from each line what it had, in however many parts.
 */
const shareOf = (moved: 'tax' | 'net') => {
  const by = (
    when: string,
  ) => sql`case when ${sql.ref(`${moved}_total`)} = 0 then case when n = 1 then ${sql.ref(`${moved}_${when}`)} else 0 end
    else round(${sql.ref(`${moved}_${when}`)}::numeric * ${sql.ref(`${moved}_to`)} / ${sql.ref(`${moved}_total`)})
      - round(${sql.ref(`${moved}_${when}`)}::numeric * (${sql.ref(`${moved}_to`)} - ${sql.ref(`${moved}_own`)}) / ${sql.ref(`${moved}_total`)}) end`
  return sql`(${by('after')}) - (${by('before')})`
}

/**
 * The taxes of a UTC month by currency, place, rate and reason: what the ledger of money has of payments, refunds and disputes, divided
 * by the taxes of their invoices. Sales without a tax, and without an invoice, are rows, too.
 */
export async function readTaxes(db: Queryable, given?: string): Promise<Answer> {
  const month = given ?? (await currentDay(db)).slice(0, 7)
  const [from, until] = [`${month}-01T00:00:00Z`, `${monthAfter(month)}-01T00:00:00Z`]
  const { rows } = await sql<Answer['rows'][number]>`
    with moved as (
      select m.ref, m.cause = 'payment' as is_payment, m.currency,
        coalesce(sum(m.cents) filter (where m.source = 'tax' and m.at < ${from}), 0) as tax_before,
        coalesce(sum(m.cents) filter (where m.source = 'tax'), 0) as tax_after,
        coalesce(sum(m.cents) filter (where m.source <> 'tax' and m.at < ${from}), 0) as net_before,
        coalesce(sum(m.cents) filter (where m.source <> 'tax'), 0) as net_after
      from (select distinct ref from money_ledger where at >= ${from} and at < ${until}) touched join money_ledger m using (ref)
      where m.at < ${until} group by 1, 2, 3
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
      select currency, line->>'country' as country, line->>'state' as state, line->>'label' as label,
        (line->>'percent')::float8 as percent, line->>'reason' as reason, is_payment,
        case when line is null then tax_after - tax_before else ${shareOf('tax')} end as tax,
        case when line is null then net_after - net_before else ${shareOf('net')} end as net
      from shared
    )
    select currency, country, state, label, percent, reason,
      coalesce(sum(net) filter (where is_payment), 0)::bigint as net, coalesce(-sum(net) filter (where not is_payment), 0)::bigint as net_returned,
      coalesce(sum(tax) filter (where is_payment), 0)::bigint as collected, coalesce(-sum(tax) filter (where not is_payment), 0)::bigint as returned
    from shares group by 1, 2, 3, 4, 5, 6 having sum(abs(net)) + sum(abs(tax)) > 0 order by 1, 2, 3, 4, 5, 6`.execute(
    db,
  )
  return { month, rows }
}
