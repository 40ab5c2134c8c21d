import type Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, type Catalogue, customerWith, seedCatalogue, startBench } from '../testing/harness.ts'

let bench: Bench
let stripe: Stripe
let plans: Catalogue

beforeAll(async () => {
  bench = await startBench()
  stripe = bench.stripe
  plans = await seedCatalogue(stripe)
})
beforeEach(async () => {
  await bench.sandbox.flush()
  bench.events.length = 0
})
afterAll(async () => {
  await bench.sandbox.flush()
  expect(bench.breaches).toEqual([])
  await bench.close()
})

/** The four calls of an automatic top-up, up to the payment. */
async function topUpInvoice(customer: string) {
  const invoice = await stripe.invoices.create({
    customer,
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    metadata: { topup: '42' },
  })
  await stripe.invoiceItems.create({
    customer,
    invoice: invoice.id as string,
    pricing: { price: plans.pack.id },
    quantity: 3,
  })
  return stripe.invoices.finalizeInvoice(invoice.id as string)
}

describe('an automatic top-up', () => {
  it('is paid from the saved card, once', async () => {
    const customer = await customerWith(stripe, 'pm_card_visa')
    const open = await topUpInvoice(customer.id)
    expect([open.status, open.amount_due, open.number]).toEqual(['open', 3000, `${customer.invoice_prefix}-0001`])
    const paid = await stripe.invoices.pay(
      open.id as string,
      { off_session: true, expand: ['payments'] },
      { idempotencyKey: 'topup:42:pay' },
    )
    expect([paid.status, paid.amount_paid, paid.metadata?.topup, paid.payments?.data[0]?.status]).toEqual([
      'paid',
      3000,
      '42',
      'paid',
    ])
    await expect(stripe.invoices.pay(open.id as string)).rejects.toMatchObject({ code: 'invoice_already_paid' })
    expect((await stripe.charges.list({ customer: customer.id })).data).toHaveLength(1)
  })

  it.each([
    ['pm_card_chargeCustomerFail', 'card_declined', 'generic_decline'],
    ['pm_card_authenticationRequired', 'authentication_required', 'authentication_required'],
  ])('is refused by %s with %s, stays open and can be voided', async (card, code, declineCode) => {
    const customer = await customerWith(stripe, card)
    const open = await topUpInvoice(customer.id)
    const error = await stripe.invoices.pay(open.id as string, { off_session: true }).catch((caught) => caught)
    expect([error.type, error.code, error.decline_code, error.payment_intent.status]).toEqual([
      'StripeCardError',
      code,
      declineCode,
      'requires_payment_method',
    ])
    expect((await stripe.invoices.retrieve(open.id as string)).attempt_count).toBe(1)
    await bench.sandbox.flush()
    expect(bench.types().includes('invoice.payment_action_required')).toBe(code === 'authentication_required')
    expect(bench.types()).toContain('invoice.payment_failed')
    expect((await stripe.invoices.voidInvoice(open.id as string)).status).toBe('void')
    expect((await stripe.paymentIntents.retrieve(error.payment_intent.id)).status).toBe('canceled')
    await expect(stripe.invoices.pay(open.id as string)).rejects.toMatchObject({ statusCode: 400 })
  })

  it('waits for a bank debit, which then arrives or fails', async () => {
    for (const [method, status] of [
      ['pm_usBankAccount_success', 'paid'],
      ['pm_usBankAccount_insufficientFunds', 'open'],
    ] as const) {
      const open = await topUpInvoice((await customerWith(stripe, method)).id)
      expect((await stripe.invoices.pay(open.id as string)).status).toBe('open')
      expect((await stripe.invoices.pay(open.id as string)).status).toBe('open')
      await bench.sandbox.advance(5 * 86_400)
      expect((await stripe.invoices.retrieve(open.id as string)).status).toBe(status)
    }
  })

  it('uses the balance of the customer first and keeps what a credit leaves over', async () => {
    const customer = await customerWith(stripe, 'pm_card_visa')
    await stripe.customers.createBalanceTransaction(customer.id, { amount: -3500, currency: 'usd' })
    const covered = await topUpInvoice(customer.id)
    expect([covered.status, covered.amount_due, covered.ending_balance]).toEqual(['paid', 0, -500])
    expect((await topUpInvoice(customer.id)).amount_due).toBe(2500)
  })

  it('cannot change once it is final', async () => {
    const customer = await customerWith(stripe, null)
    const open = await topUpInvoice(customer.id)
    await expect(stripe.invoices.addLines(open.id as string, { lines: [{ amount: 1 }] })).rejects.toMatchObject({
      code: 'invoice_not_editable',
    })
    await expect(stripe.invoices.finalizeInvoice(open.id as string)).rejects.toMatchObject({
      code: 'invoice_not_editable',
    })
    await expect(stripe.invoices.pay(open.id as string)).rejects.toMatchObject({ statusCode: 400 })
    expect((await stripe.invoices.markUncollectible(open.id as string)).status).toBe('uncollectible')
  })
})

describe('a payment', () => {
  const pay = (payment_method: string, extra: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
    stripe.paymentIntents.create({ amount: 2000, currency: 'usd', payment_method, confirm: true, ...extra })

  it('succeeds, asks for authentication on session, and declines it off session', async () => {
    const paid = await pay('pm_card_visa', { expand: ['latest_charge'] })
    expect([
      paid.status,
      paid.amount_received,
      (paid.latest_charge as Stripe.Charge).payment_method_details?.card?.last4,
    ]).toEqual(['succeeded', 2000, '4242'])
    expect((await pay('pm_card_authenticationRequired')).status).toBe('requires_action')
    await expect(pay('pm_card_authenticationRequired', { off_session: true })).rejects.toMatchObject({
      code: 'authentication_required',
    })
    await expect(pay('pm_card_visa', { amount: 49 })).rejects.toMatchObject({ code: 'amount_too_small' })
    await expect(
      stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: (await customerWith(stripe, null)).id }),
    ).rejects.toMatchObject({ code: 'card_declined' })
  })

  it('never charges the card of another customer', async () => {
    const [ada, eve] = [await customerWith(stripe, 'pm_card_visa'), await customerWith(stripe, null)]
    const card = ada.invoice_settings.default_payment_method as string
    await expect(pay(card, { customer: eve.id })).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' })
    await expect(stripe.paymentMethods.attach(card, { customer: eve.id })).rejects.toMatchObject({ statusCode: 400 })
  })

  it('is refunded in parts, never by more than was paid', async () => {
    const intent = await pay('pm_card_visa')
    await stripe.refunds.create({ payment_intent: intent.id, amount: 500 })
    await expect(stripe.refunds.create({ payment_intent: intent.id, amount: 1501 })).rejects.toMatchObject({
      param: 'amount',
    })
    await stripe.refunds.create({ payment_intent: intent.id })
    await expect(stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    })
    const charge = await stripe.charges.retrieve(intent.latest_charge as string, { expand: ['refunds'] })
    expect([charge.refunded, charge.amount_refunded, charge.refunds?.data.map((refund) => refund.amount)]).toEqual([
      true,
      2000,
      [1500, 500],
    ])
    const failing = await pay('pm_card_refundFail')
    expect((await stripe.refunds.create({ payment_intent: failing.id })).status).toBe('failed')
    await bench.sandbox.flush()
    expect(bench.types()).toEqual(expect.arrayContaining(['charge.refunded', 'refund.created', 'refund.failed']))
  })

  it('is disputed, and won or lost', async () => {
    const intent = await pay('pm_card_createDispute')
    await bench.sandbox.flush()
    const dispute = bench.events.find((event) => event.type === 'charge.dispute.created')?.data.object as Stripe.Dispute
    expect([dispute.amount, dispute.payment_intent, dispute.is_charge_refundable]).toEqual([2000, intent.id, false])
    await expect(stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_disputed',
    })
    await bench.sandbox.closeDispute(dispute.id, 'lost')
    const other = await pay('pm_card_visa')
    await bench.sandbox.closeDispute(await bench.sandbox.openDispute(other.latest_charge as string), 'won')
    expect((await stripe.charges.retrieve(other.latest_charge as string)).disputed).toBe(false)
    await bench.sandbox.flush()
    expect(
      bench.events
        .filter((event) => event.type === 'charge.dispute.closed')
        .map((event) => (event.data.object as Stripe.Dispute).status),
    ).toEqual(['lost', 'won'])
  })

  it('saves a card for later without a charge', async () => {
    const customer = await customerWith(stripe, null)
    const saved = await stripe.setupIntents.create({
      customer: customer.id,
      payment_method: 'pm_card_visa',
      confirm: true,
    })
    expect([saved.status, (await stripe.customers.listPaymentMethods(customer.id)).data.length]).toEqual([
      'succeeded',
      1,
    ])
    await expect(
      stripe.setupIntents.create({ customer: customer.id, payment_method: 'pm_card_chargeDeclined', confirm: true }),
    ).rejects.toMatchObject({ code: 'card_declined' })
    const detached = await stripe.paymentMethods.detach(saved.payment_method as string)
    expect([detached.customer, (await stripe.customers.listPaymentMethods(customer.id)).data]).toEqual([null, []])
  })
})

describe('the rest of the subset', () => {
  it('notes credits, keeps grants, changes items and lists payments', async () => {
    const customer = await customerWith(stripe, 'pm_card_visa')
    const open = await topUpInvoice(customer.id)
    await stripe.invoices.pay(open.id as string)
    const note = await stripe.creditNotes.create({ invoice: open.id as string, amount: 1000, refund_amount: 1000 })
    expect([note.type, note.refunds.length, (await stripe.refunds.list({ limit: 1 })).data[0]?.amount]).toEqual([
      'post_payment',
      1,
      1000,
    ])
    await expect(stripe.creditNotes.create({ invoice: open.id as string, amount: 2001 })).rejects.toMatchObject({
      param: 'amount',
    })
    const grant = await stripe.billing.creditGrants.create({
      customer: customer.id,
      category: 'paid',
      amount: { type: 'monetary', monetary: { currency: 'usd', value: 500 } },
      applicability_config: { scope: { price_type: 'metered' } },
    })
    expect((await stripe.billing.creditGrants.voidGrant(grant.id)).voided_at).not.toBeNull()
    const subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: plans.pro.id }] })
    const added = await stripe.subscriptionItems.create({
      subscription: subscription.id,
      price: plans.max.id,
      proration_behavior: 'none',
    })
    expect(
      (await stripe.subscriptionItems.list({ subscription: subscription.id })).data.map((item) => item.id),
    ).toContain(added.id)
    expect((await stripe.subscriptionItems.update(added.id, { quantity: 2 })).quantity).toBe(2)
    expect(await stripe.subscriptionItems.del(added.id)).toMatchObject({ deleted: true })
    const payments = await stripe.invoicePayments.list({ invoice: open.id as string })
    expect(payments.data.map((payment) => payment.amount_paid)).toEqual([3000])
    expect((await stripe.invoices.list({ subscription: subscription.id, status: 'paid' })).data).toHaveLength(1)
    expect((await stripe.invoices.listLineItems(open.id as string)).data).toHaveLength(1)
  })
})
