import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { customerWith, finalInvoice } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'
import { subscribed } from '../testing/subscribed.ts'

shareBench()

/** The Stripe calls that an automatic top-up makes before the payment. */
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

  it('waits for a bank debit, which then succeeds or fails', async () => {
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

  it("uses the customer's balance first and keeps what is left of a credit", async () => {
    const customer = await customerWith(stripe, 'pm_card_visa')
    await stripe.customers.update(customer.id, { balance: -3500 })
    const covered = await topUpInvoice(customer.id)
    expect([covered.status, covered.amount_due, covered.ending_balance]).toEqual(['paid', 0, -500])
    expect((await topUpInvoice(customer.id)).amount_due).toBe(2500)
  })

  it('cannot change once it is final', async () => {
    const customer = await customerWith(stripe, null)
    const open = await topUpInvoice(customer.id)
    await expect(
      stripe.invoiceItems.create({ customer: customer.id, invoice: open.id as string, amount: 1 }),
    ).rejects.toMatchObject({ code: 'invoice_not_editable' })
    await expect(stripe.invoices.finalizeInvoice(open.id as string)).rejects.toMatchObject({
      code: 'invoice_not_editable',
    })
    await expect(stripe.invoices.pay(open.id as string)).rejects.toMatchObject({ statusCode: 400 })
    expect((await stripe.invoices.markUncollectible(open.id as string)).status).toBe('uncollectible')
  })
})

describe('a payment', () => {
  /** Pays $20 with a card; returns the payment intent with its charge. */
  async function pay(card: string): Promise<Stripe.PaymentIntent> {
    const open = await finalInvoice(stripe, (await customerWith(stripe, card)).id, 2000)
    const paid = await stripe.invoices.pay(open.id as string, { expand: ['payments'] })
    const intent = paid.payments?.data[0]?.payment.payment_intent as string
    return stripe.paymentIntents.retrieve(intent, { expand: ['latest_charge'] })
  }
  const chargeOf = (intent: Stripe.PaymentIntent) => intent.latest_charge as Stripe.Charge

  it('succeeds, asks for authentication on session, and declines it off session', async () => {
    const paid = await pay('pm_card_visa')
    expect([paid.status, paid.amount_received, chargeOf(paid).payment_method_details?.card?.last4]).toEqual([
      'succeeded',
      2000,
      '4242',
    ])
    const careful = await customerWith(stripe, 'pm_card_authenticationRequired')
    const open = (await finalInvoice(stripe, careful.id, 2000)).id as string
    const expand = ['payments.data.payment.payment_intent']
    const asked = await stripe.invoices.pay(open, { off_session: false, expand })
    expect([asked.status, asked.payments?.data[0]?.payment.payment_intent]).toMatchObject([
      'open',
      { status: 'requires_action' },
    ])
    await expect(stripe.invoices.pay(open)).rejects.toMatchObject({ code: 'authentication_required' })
    await expect(
      stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: careful.id }),
    ).rejects.toMatchObject({ code: 'card_declined' })
  })

  it('never charges the card of another customer', async () => {
    const [ada, eve] = [await customerWith(stripe, 'pm_card_visa'), await customerWith(stripe, null)]
    const payment_method = ada.invoice_settings.default_payment_method as string
    const open = (await finalInvoice(stripe, eve.id, 2000)).id as string
    await expect(stripe.invoices.pay(open, { payment_method })).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    })
    await expect(stripe.paymentMethods.attach(payment_method, { customer: eve.id })).rejects.toMatchObject({
      statusCode: 400,
    })
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
    const charge = await stripe.charges.retrieve(chargeOf(intent).id)
    const refunds = await stripe.refunds.list({ charge: charge.id })
    expect([charge.refunded, charge.amount_refunded, refunds.data.map((refund) => refund.amount)]).toEqual([
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
    await bench.sandbox.closeDispute(await bench.sandbox.openDispute(chargeOf(other).id), 'won')
    expect((await stripe.charges.retrieve(chargeOf(other).id)).disputed).toBe(false)
    await bench.sandbox.flush()
    expect(
      bench.events
        .filter((event) => event.type === 'charge.dispute.closed')
        .map((event) => (event.data.object as Stripe.Dispute).status),
    ).toEqual(['lost', 'won'])
  })

  it('leaves a card that can be detached', async () => {
    const customer = await customerWith(stripe, 'pm_card_visa')
    const [card] = (await stripe.customers.listPaymentMethods(customer.id)).data
    expect((await stripe.paymentMethods.detach(card?.id as string)).customer).toBeNull()
    expect((await stripe.customers.listPaymentMethods(customer.id)).data).toEqual([])
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    })
  })

  it('appears in the lists of its customer, invoice and subscription', async () => {
    const { customer, subscription } = await subscribed(stripe, plans.pro, 'pm_card_visa')
    const [paid] = (await stripe.invoices.list({ subscription: subscription.id, status: 'paid' })).data
    const invoice = paid?.id as string
    const payments = await stripe.invoicePayments.list({ invoice })
    expect(payments.data.map((payment) => payment.amount_paid)).toEqual([1900])
    expect((await stripe.invoices.listLineItems(invoice)).data).toHaveLength(1)
    expect((await stripe.charges.list({ customer: customer.id })).data).toHaveLength(1)
  })
})
