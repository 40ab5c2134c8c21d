import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { claimSpent } from '../../invoices/claim-spent.ts'
import { refundInvoice } from '../../refunds/refund-invoice.ts'
import type { Scenario } from './plans.ts'
import { DAY, HOUR, type World } from './world.ts'

const amounts = async (world: World) => (await world.invoices()).map(({ amount, status }) => `${amount} ${status}`)

async function paymentOf(world: World): Promise<{ intent: string; charge: string }> {
  const { rows } = await world.server.db.pool.query(
    'select payment_intent_id as id from invoices where payment_intent_id is not null order by created_at limit 1',
  )
  const intent = await world.stripe.paymentIntents.retrieve(rows[0].id)
  return { intent: intent.id, charge: intent.latest_charge as string }
}

/** Stories of credits: bought, topped up automatically, overspent, refunded. */
export const creditScenarios: Record<string, Scenario> = {
  'credit packs are bought once and never expire': async (world) => {
    await world.topUp(3)
    expect(await world.credits()).toBe(30_000)
    expect(await amounts(world)).toEqual(['600 paid'])
    await world.pass(400 * DAY)
    expect(await world.credits()).toBe(30_000)
  },
  'a debit that takes days grants when it arrives': async (world) => {
    const opened = await world.person.call('POST', '/api/billing/credits/topup', { body: { packs: 1 } })
    await world.press(opened.body.data.url, 'pay', 'pm_usBankAccount_success')
    await world.settle()
    expect(await world.credits()).toBe(0)
    await world.pass(5 * DAY)
    expect(await world.credits()).toBe(10_000)
    expect(await amounts(world)).toEqual(['200 paid'])
  },
  'credits are bought automatically when few are left': async (world) => {
    await world.topUp(1, { saveCard: true })
    await world.person.call('POST', '/api/billing/credits/auto-topup', {
      body: { enabled: true, threshold: 2_000, packs: 2 },
    })
    await world.spend(9_000)
    await world.pass(60)
    expect(await world.credits()).toBe(21_000)
    await world.pass(60)
    expect(await world.credits()).toBe(21_000)
    expect((await amounts(world)).sort()).toEqual(['200 paid', '400 paid'])
  },
  'a declined automatic top-up is voided, and another card pays it': async (world) => {
    await world.topUp(1, { saveCard: true })
    await world.person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 2_000 } })
    await world.portal({ action: 'card', card: 'pm_card_chargeCustomerFail' })
    await world.spend(9_000)
    await world.pass(60)
    expect(await world.credits()).toBe(1_000)
    expect(await amounts(world)).toEqual(['200 void', '200 paid'])
    await world.portal({ action: 'card', card: 'pm_card_visa' })
    await world.pass(2 * HOUR)
    expect(await world.credits()).toBe(11_000)
    expect((await amounts(world)).toSorted()).toEqual(['200 paid', '200 paid', '200 void'])
  },
  'the credits of a plan are used before bought ones': async (world) => {
    await world.topUp(1)
    await world.buy('Pro')
    await world.spend(99_000)
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.pass(32 * DAY)
    expect(await world.credits()).toBe(10_000)
  },
  'a month of pay-as-you-go under the minimum costs a dollar': async (world) => {
    await world.buy('Pay-as-you-go')
    expect(await world.spend(2_000)).toBe('charged')
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['100 paid'])
  },
  'a month of pay-as-you-go costs one cent per 100 requests': async (world) => {
    await world.buy('Pay-as-you-go')
    expect(await world.spend(70_000)).toBe('charged')
    await world.pass(9 * DAY)
    expect(await world.spend(5_050)).toBe('charged')
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['751 paid'])
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['100 paid', '751 paid'])
  },
  'the last pay-as-you-go bill comes after cancellation': async (world) => {
    await world.buy('Pay-as-you-go')
    await world.spend(30_000)
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.pass(32 * DAY)
    for (let hour = 0; hour < 4; hour++) await world.pass(3_600)
    expect(await amounts(world)).toEqual(['300 paid'])
    expect(await world.spend(1)).toBe('insufficient_credits')
  },
  'a refund takes its credits with it': async (world) => {
    await world.topUp(2)
    const { intent } = await paymentOf(world)
    await world.stripe.refunds.create({ payment_intent: intent })
    await world.settle()
    expect(await world.credits()).toBe(0)
  },
  'a partial refund after credits were spent takes its share of the rest': async (world) => {
    await world.topUp(2)
    await world.spend(15_000)
    const { intent } = await paymentOf(world)
    await world.stripe.refunds.create({ payment_intent: intent, amount: 100 })
    await world.settle()
    expect(await world.credits()).toBe(0)
    const { rows } = await world.server.db.pool.query('select voided, spent from reversals')
    expect(rows).toEqual([{ voided: 5_000, spent: 0 }])
    await world.stripe.refunds.create({ payment_intent: intent, amount: 100 })
    await world.settle()
    const after = await world.server.db.pool.query('select voided, spent from reversals')
    expect(after.rows).toEqual([{ voided: 5_000, spent: 5_000 }])
  },
  'spent credits of a refund are owed where the operator claims them, and the next ones pay': async (world) => {
    await world.topUp(1)
    await world.spend(9_000)
    const { rows } = await world.server.db.pool.query('select id from invoices')
    const refund = () =>
      refundInvoice(world.server.deps, { actId: randomUUID(), invoiceId: rows[0].id, operator: 'a story' })
    expect(await refund()).toEqual({ cents: 200, state: 'succeeded', voided: 1_000, spent: 9_000 })
    await expect(refund()).rejects.toThrow()
    await world.settle()
    expect(await claimSpent(world.server.deps, rows[0].id)).toBe(9_000)
    expect(await claimSpent(world.server.deps, rows[0].id)).toBe(0)
    expect(await world.credits()).toBe(0)
    await world.redeemFree()
    expect(await world.credits()).toBe(0)
    await world.topUp(1)
    expect(await world.credits()).toBe(2_000)
    await world.topUp(1)
    expect(await world.credits()).toBe(12_000)
  },
  'a refund of a plan takes the credits of its month': async (world) => {
    await world.buy('Pro')
    await world.spend(1_000)
    const { intent } = await paymentOf(world)
    await world.stripe.refunds.create({ payment_intent: intent })
    await world.settle()
    expect(await world.credits()).toBe(0)
  },
  'a dispute holds the credits, and gives them back when it is won': async (world) => {
    await world.topUp(1, { saveCard: true })
    await world.person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: true, threshold: 10 } })
    const { charge } = await paymentOf(world)
    const dispute = await world.stage.openDispute(charge)
    await world.settle()
    expect(await world.credits()).toBe(0)
    expect((await world.get('/api/billing/credits/topup')).autoTopup.suspended).toBe('dispute')
    await world.stage.closeDispute(dispute, 'won')
    await world.settle()
    expect(await world.credits()).toBe(10_000)
  },
  'what was claimed under a dispute comes back when it is won': async (world) => {
    await world.topUp(1)
    await world.spend(6_000)
    const { charge } = await paymentOf(world)
    const dispute = await world.stage.openDispute(charge)
    await world.settle()
    const { rows } = await world.server.db.pool.query('select id from invoices')
    expect(await claimSpent(world.server.deps, rows[0].id)).toBe(6_000)
    await world.redeemFree()
    expect(await world.credits()).toBe(0)
    await world.stage.closeDispute(dispute, 'won')
    await world.settle()
    // 10,000 bought plus 1,000 granted minus 6,000 spent.
    expect(await world.credits()).toBe(5_000)
  },
  'a dispute that is lost takes the credits for good': async (world) => {
    await world.topUp(1)
    const { charge } = await paymentOf(world)
    const dispute = await world.stage.openDispute(charge)
    await world.stage.closeDispute(dispute, 'lost')
    await world.settle()
    expect(await world.credits()).toBe(0)
  },
}
