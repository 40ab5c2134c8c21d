import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { refundInvoice } from '../../billing/refunds/refund-invoice.ts'
import { startSandboxStage } from '../../billing/testing/stories/sandbox-stage.ts'
import type { Stage } from '../../billing/testing/stories/stage.ts'
import { DAY, openWorld, type World } from '../../billing/testing/stories/world.ts'
import { grantCredits } from '../../credits/grant.ts'
import { readLiability, readRevenue, readRollforward } from './finance.ts'
import { foldLedgers } from './fold-ledgers.ts'
import { readJournal } from './journal.ts'
import { readRecurring } from './recurring.ts'

let stage: Stage
beforeAll(async () => {
  stage = await closeAfterTests(startSandboxStage())
})

/** What a customer and an operator may do in a month. What is not possible then is refused by the product, and nothing changes. */
type Act =
  | { act: 'plan'; name: 'Pro' | 'Max'; year: boolean }
  | { act: 'change'; to: 'Pro' | 'Max' }
  | { act: 'cancel' }
  | { act: 'packs'; packs: number }
  | { act: 'spend'; share: number }
  | { act: 'refund'; back: number; share: number }
  | { act: 'dispute'; outcome: 'won' | 'lost' }
  | { act: 'promo'; credits: number; days: number }
  | { act: 'free' }

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    act: fc.constant('plan' as const),
    name: fc.constantFrom('Pro' as const, 'Max' as const),
    year: fc.boolean(),
  }),
  fc.record({ act: fc.constant('change' as const), to: fc.constantFrom('Pro' as const, 'Max' as const) }),
  fc.constant({ act: 'cancel' as const }),
  fc.record({ act: fc.constant('packs' as const), packs: fc.integer({ min: 1, max: 7 }) }),
  fc.record({ act: fc.constant('spend' as const), share: fc.double({ min: 0.01, max: 0.99, noNaN: true }) }),
  fc.record({
    act: fc.constant('refund' as const),
    back: fc.nat(2),
    share: fc.double({ min: 0.1, max: 1, noNaN: true }),
  }),
  fc.record({ act: fc.constant('dispute' as const), outcome: fc.constantFrom('won' as const, 'lost' as const) }),
  fc.record({
    act: fc.constant('promo' as const),
    credits: fc.integer({ min: 1, max: 9_999 }),
    days: fc.integer({ min: 1, max: 60 }),
  }),
  fc.constant({ act: 'free' as const }),
)

async function perform(world: World, one: Act): Promise<void> {
  const { server } = world
  const paid = async () =>
    (
      await server.db.pool.query(
        "select id, paid_cents::int as cents, payment_intent_id as intent from invoices where status = 'paid' and paid_cents > 0 and payment_intent_id is not null order by created_at desc, id",
      )
    ).rows
  const subscription = async () => (await world.subscription())?.id ?? ''
  if (one.act === 'plan') await world.buy(one.name, { year: one.year && one.name === 'Pro' })
  else if (one.act === 'change')
    await world.portal({ action: 'change', subscription: await subscription(), price: world.plans[one.to]!.priceId })
  else if (one.act === 'cancel') await world.portal({ action: 'cancel', subscription: await subscription() })
  else if (one.act === 'packs') await world.topUp(one.packs)
  else if (one.act === 'spend') await world.spend(Math.floor((await world.credits()) * one.share))
  else if (one.act === 'refund') {
    const invoice = (await paid())[one.back]
    if (invoice)
      await refundInvoice(server.deps, {
        actId: randomUUID(),
        invoiceId: invoice.id,
        cents: Math.ceil(invoice.cents * one.share),
        operator: 'test',
      })
  } else if (one.act === 'dispute') {
    const [invoice] = await paid()
    const { data } = await world.stripe.charges.list({ payment_intent: invoice.intent })
    const dispute = await stage.openDispute(data[0]!.id)
    await world.settle()
    await world.spend(Math.floor((await world.credits()) / 3))
    await stage.closeDispute(dispute, one.outcome)
  } else if (one.act === 'promo')
    await server.db.kysely.transaction().execute(async (tx) => {
      const { rows } = await server.db.pool.query('select app_now() as now')
      await grantCredits(tx, {
        accountId: await world.account(),
        kind: 'promo',
        amount: one.credits,
        sourceType: 'operator',
        sourceId: crypto.randomUUID(),
        expiresAt: new Date(rows[0].now.getTime() + one.days * 86_400_000),
      })
    })
  else await world.redeemFree()
}

/**
 * Plain SQL over the ledger: the reference's formula, one line after the other. Earned = floor(M * b / C); credits taken back fix what was
 * earned, and M' = floor(owed * (R - v) / R), C' = R - v.
 */
const owedAt = `
create or replace function test_owed(p_at timestamptz) returns bigint language plpgsql as $$
declare
  g record; l record; v_total bigint := 0; v_money numeric; v_credits numeric; v_left numeric; v_owed numeric;
begin
  for g in
    select c.id, case when c.source_type = 'topup' then (select t.cents from topups t where t.id::text = c.source_id)
      else (select floor(i.cents * (split_part(c.source_id, ':', 2)::int + 1)::numeric / i.months) - floor(i.cents * split_part(c.source_id, ':', 2)::numeric / i.months)
        from invoice_lines i where i.id = split_part(c.source_id, ':', 1)) end as money
    from credit_grants c where c.source_type in ('topup', 'plan_line') and c.kind <> 'trial'
  loop
    v_money := 0; v_credits := 0; v_left := 0;
    for l in select kind, delta from credit_ledger where grant_id = g.id and at < p_at order by id loop
      if l.kind = 'grant' then v_money := g.money; v_credits := l.delta; v_left := l.delta;
      elsif l.kind = 'void' then
        v_owed := v_money - floor(v_money * (v_credits - v_left) / v_credits);
        v_money := floor(v_owed * (v_left + l.delta) / v_left); v_credits := v_left + l.delta; v_left := v_credits;
      else v_left := v_left + l.delta; end if;
    end loop;
    if v_left > 0 then v_total := v_total + v_money - floor(v_money * (v_credits - v_left) / v_credits); end if;
  end loop;
  return v_total;
end $$`

async function compare(world: World): Promise<Record<string, number>> {
  const { db } = world.server
  const until = await foldLedgers(db)
  expect(until).not.toBeNull()
  const { rows: months } = await db.pool.query<{ month: string; end: Date; next: string }>(
    `select to_char(m, 'YYYY-MM') as month, (m + interval '1 month') at time zone 'UTC' as end, (m + interval '1 month' - interval '1 day')::date::text as next
     from generate_series((select date_trunc('month', min(at), 'UTC') at time zone 'UTC' from credit_ledger), $1::timestamptz at time zone 'UTC', '1 month') m`,
    [until],
  )
  await db.pool.query(owedAt)
  const revenue = await readRevenue(db.kysely, 60)
  const seen = { refunded: 0, disputed: 0, expired: 0, forfeited: 0, lapsed: 0 }
  for (const { month, next } of months) {
    const before = `at < least((date_trunc('month', '${month}-01'::timestamp) + interval '1 month') at time zone 'UTC', '${until!.toISOString()}')`
    const within = `at >= '${month}-01'::timestamp at time zone 'UTC' and ${before}`
    const one = async (text: string) => (await db.pool.query(text)).rows[0]
    // Credits.
    const ledger =
      await one(`select coalesce(sum(delta) filter (where kind = 'grant' and ${within}), 0)::int as granted,
      coalesce(-sum(delta) filter (where kind in ('debit', 'refund') and ${within}), 0)::int as burned,
      coalesce(-sum(delta) filter (where kind = 'debt' and ${within}), 0)::int as repaid,
      coalesce(-sum(delta) filter (where kind = 'expiry' and ${within}), 0)::int as expired,
      coalesce(-sum(delta) filter (where kind = 'void' and ${within}), 0)::int as taken_back,
      coalesce(sum(delta) filter (where ${before}), 0)::int as closing from credit_ledger`)
    const rolled = await readRollforward(db.kysely, month)
    const sum = (rows: object[], name: string) =>
      rows.reduce((total, row) => total + (row as Record<string, number>)[name]!, 0)
    for (const name of ['granted', 'burned', 'repaid', 'expired', 'taken_back', 'closing'])
      expect([month, name, sum(rolled.credits, name)]).toEqual([month, name, ledger[name]])
    for (const row of rolled.credits)
      expect(row.opening + row.granted - row.burned - row.repaid - row.expired - row.taken_back).toBe(row.closing)
    for (const row of rolled.money)
      expect(row.opening + row.sold - row.earned - row.lapsed - row.returned - row.forfeited).toBe(row.closing)
    // The money owed.
    const { owed } = await one(
      `select test_owed(least((date_trunc('month', '${month}-01'::timestamp) + interval '1 month') at time zone 'UTC', '${until!.toISOString()}'))::int as owed`,
    )
    const liability = await readLiability(db.kysely, next)
    expect([month, 'owed', sum(rolled.money, 'closing')]).toEqual([month, 'owed', owed])
    expect([month, 'liability', sum(liability.rows, 'cents')]).toEqual([month, 'liability', owed])
    expect(liability.days.at(-1)?.cents ?? 0).toBe(owed)
    const own = revenue.rows.filter((row) => row.month === month)
    const money = await one(`select coalesce(sum(cents), 0)::int as net from money_ledger where ${within}`)
    expect([month, 'net', sum(own, 'net')]).toEqual([month, 'net', money.net])
    seen.refunded += sum(own, 'refunded')
    seen.disputed += sum(own, 'disputed')
    seen.expired += sum(rolled.credits, 'expired')
    seen.forfeited += sum(rolled.money, 'forfeited')
    seen.lapsed += sum(rolled.money, 'lapsed')
    // The journal.
    const journal = await readJournal(db.kysely, month)
    const days = new Map<string, number>()
    for (const { day, currency, debit, credit } of journal.lines)
      days.set(`${day} ${currency}`, (days.get(`${day} ${currency}`) ?? 0) + debit - credit)
    expect([...days].filter(([, left]) => left !== 0)).toEqual([])
  }
  // The journal's liability on each of its days is the figure of that day.
  const journals = await Promise.all(months.map(({ month }) => readJournal(db.kysely, month)))
  let owed = 0
  const lines = journals.flatMap(({ lines }) => lines).filter(({ account }) => account === 'Credit liability')
  for (const { day, debit, credit } of lines) {
    owed += credit - debit
    const { rows } = await readLiability(db.kysely, day)
    expect([day, rows.reduce((sum, { cents }) => sum + cents, 0)]).toEqual([day, owed])
  }
  // All that ever came and went, by the provider's charges.
  let [paid, refunded] = [0, 0]
  for await (const charge of world.stripe.charges.list({ limit: 100 })) {
    if (!charge.paid) continue
    paid += charge.amount
    refunded += charge.amount_refunded
  }
  const all = (name: 'received' | 'refunded' | 'disputed') => revenue.rows.reduce((sum, row) => sum + row[name], 0)
  expect(all('received')).toBe(paid)
  const { rows: held } = await db.pool.query(`select coalesce(sum(r.cents), 0)::int as cents from reversals r
    where exists (select from disputes d where d.charge_id = r.charge_id and d.status not in ('won', 'prevented', 'warning_closed'))`)
  expect(all('refunded') + all('disputed')).toBeGreaterThanOrEqual(refunded)
  expect(all('disputed')).toBeLessThanOrEqual(held[0].cents)
  return { ...seen, recurring: (await readRecurring(db.kysely, { rates: [] }, null)).months.length }
}

test('figures of 24 generated months agree to the unit with SQL over the ledger, and the journal with 0', {
  timeout: 600_000,
}, async () => {
  const acts = fc.array(fc.array(anyAct, { minLength: 2, maxLength: 4 }), { minLength: 24, maxLength: 24 })
  const seeds = (process.env.FIGURES_SEEDS ?? (process.env.NIGHTLY ? '7,8,9,10' : '7')).split(',').map(Number)
  const [done, seen] = [new Map<string, number>(), new Map<string, number>()]
  for (const seed of seeds) {
    const world = await openWorld(stage, 'in order')
    await world.server.db.pool.query(
      'truncate operator_daily, operator_closings, operator_grants, operator_folds, operator_mrr, money_ledger',
    )
    const months = fc.sample(acts, { seed, numRuns: 1 })[0]!
    await world.topUp(3)
    for (const month of months) {
      for (const one of month) {
        const ok = await perform(world, one).then(
          () => true,
          () => false,
        )
        if (ok) done.set(one.act, (done.get(one.act) ?? 0) + 1)
        await world.settle()
        await world.pass(Math.floor((30.4 * DAY) / month.length))
      }
      await foldLedgers(world.server.db)
    }
    await world.pass(3)
    for (const [name, total] of Object.entries(await compare(world))) seen.set(name, (seen.get(name) ?? 0) + total)
    expect(await world.violations()).toEqual([])
  }
  expect([...done.keys()].sort()).toEqual([
    'cancel',
    'change',
    'dispute',
    'free',
    'packs',
    'plan',
    'promo',
    'refund',
    'spend',
  ])
  // What these months did not have, they would not have tested.
  expect([...seen].filter(([, total]) => total <= 0)).toEqual([])
})
