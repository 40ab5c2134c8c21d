import { sql } from 'kysely'
import { enterAllBuckets } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

export interface BillingViolation {
  /** I3: money and credits match. I5: all usage is billed. I8: refunds took their credits back. */
  invariant: 'I3' | 'I5' | 'I8'
  detail: string
}

/** The parts that are in buckets: Citus joins them with other tables only after it has read them. */
const buckets = `
  grants as materialized (select * from credit_grants where account_id > 0), -- a move of an account copies them ahead, under a negative account
  hours as materialized (select account_id, hour, from_payg from usage_by_hour where from_payg <> 0 and hour > app_now() - interval '36 days'),
  debts as materialized (select account_id, debt_credits from credit_accounts),
  repaid as materialized (select account_id, -sum(delta) as credits from credit_ledger where kind = 'debt' group by account_id)`

const checks: { invariant: BillingViolation['invariant']; find: string }[] = [
  {
    // Each paid period has its first grant, of the right size. A year is granted month by month.
    invariant: 'I3',
    find: `select format('line %s of invoice %s: %s credits a month, granted %s', l.id, l.invoice_id, l.credits, coalesce(g.amount::text, 'nothing'))
      from invoice_lines l join invoices i on i.id = l.invoice_id
      left join grants g on g.source_type = 'plan_line' and g.source_id = l.id || ':0'
      where l.kind in ('plan', 'trial') and i.status = 'paid' and g.amount is distinct from l.credits`,
  },
  {
    // No plan grant without a paid line, and no more months than were paid.
    invariant: 'I3',
    find: `select format('grant %s of %s: no paid line', g.id, g.source_id) from grants g
      left join invoice_lines l on l.id = split_part(g.source_id, ':', 1) left join invoices i on i.id = l.invoice_id
      where g.source_type = 'plan_line' and (i.status is distinct from 'paid' or g.amount <> l.credits or g.account_id <> l.account_id
        or split_part(g.source_id, ':', 2)::int >= l.months)`,
  },
  {
    // Each paid top-up has one grant of its size, and no grant exists without one.
    invariant: 'I3',
    find: `select format('top-up %s: %s, %s credits, granted %s', coalesce(t.id::text, g.source_id), coalesce(t.status, 'missing'), t.credits, coalesce(g.amount::text, 'nothing'))
      from (select * from topups where status = 'paid') t
      full join (select * from grants where source_type = 'topup') g on g.source_id = t.id::text
      where g.amount is distinct from t.credits or g.account_id is distinct from t.account_id`,
  },
  {
    // Each settled payment of an agent has one grant of its size, and no grant exists without one.
    invariant: 'I8',
    find: `select format('agent payment %s: %s, %s credits for %s micro-USD by %s, granted %s', coalesce(p.id::text, g.source_id), coalesce(p.state, 'missing'),
        p.credits, p.micro_usd, p.supplier, coalesce(g.amount::text, 'nothing'))
      from (select * from agent_payments where state = 'settled') p
      full join (select * from grants where source_type = 'agent_payment') g on g.source_id = p.id::text
      where g.amount is distinct from p.credits or g.account_id is distinct from p.account_id`,
  },
  {
    // A top-up's amount is what its invoice collected.
    invariant: 'I8',
    find: `select format('top-up %s: %s cents, its invoice %s brought %s', t.id, t.cents, i.id, i.paid_cents)
      from topups t join invoices i on i.id = t.invoice_id
      where t.status = 'paid' and (i.paid_cents - i.added_tax_cents <> t.cents or i.currency <> t.currency)`,
  },
  {
    // A billed period includes every unit recorded in it, and costs at least the minimum.
    invariant: 'I5',
    find: `select format('usage invoice %s: %s units billed, %s recorded, %s + %s cents', b.invoice_id, b.units, u.units, b.usage_cents, b.minimum_cents)
      from payg_invoices b join invoices i on i.id = b.invoice_id left join subscriptions s on s.id = i.subscription_id,
      lateral (select coalesce(sum(h.from_payg), 0)::bigint as units from hours h where h.account_id = b.account_id
        and h.hour >= date_trunc('hour', coalesce(s.anchor_at, b.period_start), 'UTC')
        and greatest(h.hour, coalesce(s.anchor_at, b.period_start)) >= b.period_start
        and greatest(h.hour, coalesce(s.anchor_at, b.period_start)) < b.period_end) u
      where b.units is not null and b.period_start > app_now() - interval '34 days'
        and (b.units <> u.units or b.usage_cents + b.minimum_cents < b.least_cents)`,
  },
  {
    // The final invoice, plus the later one for the rest, charges what was counted.
    invariant: 'I5',
    find: `select format('usage invoice %s: charges %s, counted %s + %s cents', b.invoice_id, i.amount_cents - i.added_tax_cents + coalesce(m.amount_cents - m.added_tax_cents, 0), b.usage_cents, b.minimum_cents)
      from payg_invoices b join invoices i on i.id = b.invoice_id left join invoices m on m.id = b.rest_invoice_id
      where b.units is not null and i.status in ('open', 'paid') and coalesce(m.status, 'open') in ('open', 'paid')
        and (b.rest_invoice_id is null or m.id is not null)
        and i.amount_cents - i.added_tax_cents + coalesce(m.amount_cents - m.added_tax_cents, 0) <> b.usage_cents + b.minimum_cents`,
  },
  {
    // Refunded money took the same share of its credits: those left, and a record of those already spent.
    invariant: 'I8',
    find: `select format('charge %s: %s of %s cents returned, %s credits granted, %s voided and %s spent', r.charge_id, r.reversed_cents, r.cents, g.granted, r.voided, r.spent)
      from reversals r, lateral (select coalesce(sum(g.amount), 0) as granted from grants g
        where (g.source_type = 'topup' and g.source_id in (select id::text from topups where payment_intent_id = r.payment_intent_id))
          or (g.source_type = 'plan_line' and split_part(g.source_id, ':', 1) in (
            select l.id from invoice_lines l join invoices i on i.id = l.invoice_id where i.payment_intent_id = r.payment_intent_id))) g
      where r.voided + r.spent > g.granted or (r.reversed_cents >= r.cents and r.voided + r.spent < least(g.granted, 1))`,
  },
  {
    // The debt is what was claimed of spent credits, minus what later grants have paid.
    invariant: 'I8',
    find: `select format('account %s: owes %s credits, claimed %s, paid %s', a.account_id, a.debt_credits, coalesce(r.claimed, 0), coalesce(l.credits, 0))
      from debts a
      left join (select account_id, sum(claimed) as claimed from reversals group by account_id) r using (account_id)
      left join repaid l using (account_id)
      where a.debt_credits <> coalesce(r.claimed, 0) - coalesce(l.credits, 0)`,
  },
]

/** Checks I3, I5 and I8 in one snapshot, so it is safe under live traffic. Returns the violations. */
export async function checkBillingInvariants(db: Database): Promise<BillingViolation[]> {
  return db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await enterAllBuckets(tx)
      const violations: BillingViolation[] = []
      for (const { invariant, find } of checks) {
        const { rows } = await sql
          .raw<{ detail: string }>(`with ${buckets} select detail from (${find}) found(detail) limit 100`)
          .execute(tx)
        for (const { detail } of rows) violations.push({ invariant, detail })
      }
      return violations
    })
}
