import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { customerWith, seconds } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'
import { subscribed } from '../testing/subscribed.ts'

shareBench()

describe('a subscription', () => {
  it('costs nothing on the free plan and needs no card', async () => {
    const { subscription, invoices } = await subscribed(stripe, plans.free, null, {
      payment_behavior: 'error_if_incomplete',
      metadata: { acc: '7' },
    })
    expect([subscription.status, subscription.billing_mode.type, subscription.metadata.acc]).toEqual([
      'active',
      'flexible',
      '7',
    ])
    const [invoice] = await invoices()
    expect([
      invoice?.status,
      invoice?.total,
      invoice?.billing_reason,
      invoice?.parent?.subscription_details?.subscription,
    ]).toEqual(['paid', 0, 'subscription_create', subscription.id])
    await bench.sandbox.flush()
    expect(bench.types()).toEqual(
      [
        'payment_method.attached',
        'invoice.created',
        'invoice.finalized',
        'invoice.paid',
        'customer.subscription.created',
      ].slice(1),
    )
  })

  it('is refused without a card, and leaves nothing behind when a payment must succeed', async () => {
    const customer = await customerWith(stripe, null)
    const items = [{ price: plans.pro.id }]
    await expect(stripe.subscriptions.create({ customer: customer.id, items })).rejects.toMatchObject({
      code: 'resource_missing',
      message: expect.stringContaining('no attached payment source'),
    })
    const broke = await customerWith(stripe, 'pm_card_chargeCustomerFail')
    await expect(
      stripe.subscriptions.create({ customer: broke.id, items, payment_behavior: 'error_if_incomplete' }),
    ).rejects.toMatchObject({ type: 'StripeCardError', code: 'card_declined' })
    expect((await stripe.subscriptions.list({ customer: broke.id, status: 'all' })).data).toEqual([])
    expect((await stripe.invoices.list({ customer: broke.id })).data).toEqual([])
  })

  it('waits incomplete for its first payment, then expires after 23 hours', async () => {
    const { subscription, to, now, invoices } = await subscribed(stripe, plans.pro, 'pm_card_chargeCustomerFail')
    expect(subscription.status).toBe('incomplete')
    await bench.sandbox.flush()
    expect(bench.types().filter((type) => type.startsWith('customer.subscription'))).toEqual([
      'customer.subscription.created',
    ])
    const [invoice] = await invoices()
    const paid = await subscribed(stripe, plans.pro, 'pm_card_chargeCustomerFail')
    await stripe.invoices.pay((await paid.invoices())[0]?.id as string, { payment_method: 'pm_card_visa' })
    expect((await paid.now()).status).toBe('active')
    await to('2026-11-02T00:00:00Z')
    expect([(await now()).status, (await stripe.invoices.retrieve(invoice?.id as string)).status]).toEqual([
      'incomplete_expired',
      'void',
    ])
  })

  it('renews at the same time of month, one draft hour before it collects', async () => {
    const { customer, to, now, invoices, item } = await subscribed(stripe, plans.pro, 'pm_card_visa')
    expect(item.current_period_end).toBe(seconds('2026-12-01T00:00:00Z'))
    await to('2026-12-01T00:30:00Z')
    const draft = (await now()).latest_invoice as Stripe.Invoice
    expect([draft.status, draft.number, draft.billing_reason, draft.automatically_finalizes_at]).toEqual([
      'draft',
      null,
      'subscription_cycle',
      seconds('2026-12-01T01:00:00Z'),
    ])
    await stripe.invoiceItems.create({
      customer: customer.id,
      invoice: draft.id as string,
      amount: 81,
      description: 'Monthly minimum',
    })
    await to('2027-02-02T00:00:00Z')
    expect((await invoices()).map((one) => [one.status, one.total])).toEqual([
      ['paid', 1900],
      ['paid', 1900],
      ['paid', 1981],
      ['paid', 1900],
    ])
    const line = (await invoices())[0]?.lines.data[0]
    expect(line?.period).toEqual({ start: seconds('2027-02-01T00:00:00Z'), end: seconds('2027-03-01T00:00:00Z') })
    expect([line?.pricing?.price_details?.price, line?.parent?.subscription_item_details?.proration]).toEqual([
      plans.pro.id,
      false,
    ])
  })

  it('prorates an upgrade in whole seconds and whole cents', async () => {
    const { subscription, item, to, invoices } = await subscribed(stripe, plans.pro, 'pm_card_visa')
    await to('2026-11-11T00:00:00Z')
    const details = { items: [{ id: item.id, price: plans.max.id }], proration_behavior: 'always_invoice' as const }
    const preview = await stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: details,
    })
    // 20 of 30 days: 1900 * 2/3 = 1266.67 and 4900 * 2/3 = 3266.67
    expect(preview.lines.data.map((line) => line.amount)).toEqual([-1267, 3267])
    expect(preview.amount_due).toBe(2000)
    expect(await invoices()).toHaveLength(1)
    const changed = await stripe.subscriptions.update(subscription.id, details)
    expect(changed.items.data.map((one) => [one.price.id, one.current_period_end])).toEqual([
      [plans.max.id, seconds('2026-12-01T00:00:00Z')],
    ])
    const [made] = await invoices()
    expect([made?.status, made?.amount_paid, made?.billing_reason]).toEqual(['paid', 2000, 'subscription_update'])
    expect(made?.lines.data.every((line) => line.parent?.subscription_item_details?.proration)).toBe(true)
  })

  it('keeps prorations for the next invoice by default, and a downgrade becomes a credit', async () => {
    const { subscription, item, to, invoices } = await subscribed(stripe, plans.max, 'pm_card_visa')
    await to('2026-11-16T00:00:00Z')
    await stripe.subscriptions.update(subscription.id, { items: [{ id: item.id, price: plans.pro.id }] })
    const next = await stripe.invoices.createPreview({ subscription: subscription.id })
    expect(next.lines.data.map((line) => line.amount)).toEqual([-2450, 950, 1900])
    await to('2026-12-02T00:00:00Z')
    expect((await invoices())[0]?.total).toBe(400)
  })

  it('starts a new cycle when the interval changes or the anchor is set to now', async () => {
    const { subscription, item, to, invoices } = await subscribed(stripe, plans.pro, 'pm_card_visa')
    await to('2026-11-16T00:00:00Z')
    const yearly = await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item.id, price: plans.proYear.id }],
    })
    expect(yearly.items.data[0]?.current_period_end).toBe(seconds('2027-11-16T00:00:00Z'))
    expect((await invoices())[0]?.lines.data.map((line) => line.amount)).toEqual([-950, 18240])
    const other = await subscribed(stripe, plans.pro, 'pm_card_visa')
    await other.to('2026-11-16T00:00:00Z')
    await stripe.subscriptions.update(other.subscription.id, {
      items: [{ id: other.item.id, price: plans.max.id }],
      billing_cycle_anchor: { type: 'now' },
      proration_behavior: 'always_invoice',
    })
    const lines = (await other.invoices())[0]?.lines.data ?? []
    expect(lines.map((line) => [line.amount, line.parent?.subscription_item_details?.proration])).toEqual([
      [-950, true],
      [4900, false],
    ])
  })

  it('is past due after an upgrade that is declined, or unchanged if a payment must succeed', async () => {
    const declined = await subscribed(stripe, plans.pro, 'pm_card_visa')
    await stripe.customers.update(declined.customer.id, {
      invoice_settings: { default_payment_method: 'pm_card_chargeCustomerFail' },
    })
    const updated = await stripe.subscriptions.update(declined.subscription.id, {
      items: [{ id: declined.item.id, price: plans.max.id }],
      proration_behavior: 'always_invoice',
    })
    expect([updated.status, updated.items.data[0]?.price.id]).toEqual(['past_due', plans.max.id])
    await stripe.invoices.pay(updated.latest_invoice as string, { payment_method: 'pm_card_visa' })
    expect((await declined.now()).status).toBe('active')
    const strict = await subscribed(stripe, plans.pro, 'pm_card_visa')
    await stripe.customers.update(strict.customer.id, {
      invoice_settings: { default_payment_method: 'pm_card_chargeCustomerFail' },
    })
    const refused = stripe.subscriptions.update(strict.subscription.id, {
      items: [{ id: strict.item.id, price: plans.max.id }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    })
    await expect(refused).rejects.toMatchObject({ type: 'StripeCardError' })
    expect([(await strict.now()).items.data[0]?.price.id, (await strict.invoices()).length]).toEqual([plans.pro.id, 1])
  })
})
