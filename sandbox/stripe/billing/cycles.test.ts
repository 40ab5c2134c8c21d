import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { seconds } from '../testing/harness.ts'
import { bench, plans, shareBench, stripe } from '../testing/shared-bench.ts'
import { subscribed } from '../testing/subscribed.ts'

shareBench()

describe('the cycle of a subscription', () => {
  it('ends at the end of the period on request, continues when resumed, and stops at once when canceled', async () => {
    const { subscription, to, now } = await subscribed(stripe, plans.pro, 'pm_card_visa')
    const ending = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
    expect([ending.status, ending.cancel_at_period_end, ending.cancel_at]).toEqual([
      'active',
      true,
      seconds('2026-12-01T00:00:00Z'),
    ])
    const resumed = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })
    expect([resumed.cancel_at_period_end, resumed.cancel_at, resumed.canceled_at]).toEqual([false, null, null])
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
    await to('2026-12-01T00:00:01Z')
    expect([(await now()).status, (await now()).ended_at]).toEqual(['canceled', seconds('2026-12-01T00:00:00Z')])
    const other = await subscribed(stripe, plans.pro, 'pm_card_visa')
    expect((await stripe.subscriptions.cancel(other.subscription.id)).status).toBe('canceled')
    await expect(stripe.subscriptions.cancel(other.subscription.id)).rejects.toMatchObject({ statusCode: 404 })
    expect((await stripe.subscriptions.list({ customer: other.customer.id })).data).toEqual([])
    await bench.sandbox.flush()
    expect(bench.types().filter((type) => type === 'customer.subscription.deleted')).toHaveLength(2)
  })

  it('announces the end of a trial three days before, then collects; without a card it ends', async () => {
    const trial = { trial_period_days: 14 }
    const { subscription, to, now, invoices } = await subscribed(stripe, plans.pro, 'pm_card_visa', trial)
    expect([subscription.status, subscription.trial_end, (await invoices())[0]?.total]).toEqual([
      'trialing',
      seconds('2026-11-15T00:00:00Z'),
      0,
    ])
    await to('2026-11-12T00:00:00Z')
    await bench.sandbox.flush()
    expect(bench.types().filter((type) => type === 'customer.subscription.trial_will_end')).toHaveLength(1)
    await to('2026-11-15T01:00:01Z')
    expect([
      (await now()).status,
      (await now()).items.data[0]?.current_period_end,
      (await invoices())[0]?.amount_paid,
    ]).toEqual(['active', seconds('2026-12-15T00:00:00Z'), 1900])
    const canceled = await subscribed(stripe, plans.pro, null, {
      ...trial,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    })
    await canceled.to('2026-11-16T00:00:00Z')
    expect((await canceled.now()).status).toBe('canceled')
  })

  it('is past due after a failed renewal, retries on days 3, 8 and 15, then ends; a payment before that reactivates it', async () => {
    const failing = async () => {
      const made = await subscribed(stripe, plans.pro, 'pm_card_visa')
      await stripe.customers.update(made.customer.id, {
        invoice_settings: { default_payment_method: 'pm_card_chargeCustomerFail' },
      })
      await made.to('2026-12-01T02:00:00Z')
      return made
    }
    const lost = await failing()
    const invoice = (await lost.now()).latest_invoice as Stripe.Invoice
    expect([(await lost.now()).status, invoice.status, invoice.attempt_count, invoice.next_payment_attempt]).toEqual([
      'past_due',
      'open',
      1,
      seconds('2026-12-04T01:00:00Z'),
    ])
    await lost.to('2026-12-20T00:00:00Z')
    expect([(await lost.now()).status, ((await lost.now()).latest_invoice as Stripe.Invoice).attempt_count]).toEqual([
      'canceled',
      4,
    ])
    const upgraded = await failing()
    await stripe.customers.update(upgraded.customer.id, {
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    })
    const items = [{ id: upgraded.item.id, price: plans.max.id }]
    const params = { items, proration_behavior: 'always_invoice' as const }
    expect((await stripe.subscriptions.update(upgraded.subscription.id, params)).status).toBe('active')
    const saved = await failing()
    await stripe.customers.update(saved.customer.id, { invoice_settings: { default_payment_method: 'pm_card_visa' } })
    await saved.to('2026-12-05T00:00:00Z')
    expect([(await saved.now()).status, ((await saved.now()).latest_invoice as Stripe.Invoice).status]).toEqual([
      'active',
      'paid',
    ])
  })

  it('changes plan at the end of the period by a schedule, which then releases it', async () => {
    const { subscription, to, now, invoices } = await subscribed(stripe, plans.max, 'pm_card_visa')
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id })
    const [phase] = schedule.phases as [Stripe.SubscriptionSchedule.Phase]
    await stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: 'release',
      phases: [
        { items: [{ price: plans.max.id }], start_date: phase.start_date, end_date: phase.end_date },
        { items: [{ price: plans.pro.id }], duration: { interval: 'month' } },
      ],
    })
    expect((await now()).schedule).toBe(schedule.id)
    await to('2026-12-01T02:00:00Z')
    expect([(await now()).items.data[0]?.price.id, (await invoices())[0]?.total]).toEqual([plans.pro.id, 1900])
    await to('2027-01-01T02:00:00Z')
    expect([(await now()).schedule, (await stripe.subscriptionSchedules.retrieve(schedule.id)).status]).toEqual([
      null,
      'released',
    ])
  })

  it('bills usage after the period, including the draft hour, and each identifier once', async () => {
    const { customer, to, now, invoices, item } = await subscribed(stripe, plans.payg, 'pm_card_visa')
    const send = (value: string, identifier: string, at: string) =>
      stripe.billing.meterEvents.create({
        event_name: 'requests',
        identifier,
        timestamp: seconds(at),
        payload: { stripe_customer_id: customer.id, value },
      })
    await to('2026-11-20T12:00:00Z')
    await send('12345', 'a:1', '2026-11-20T10:00:00Z')
    await expect(send('12345', 'a:1', '2026-11-20T10:00:00Z')).rejects.toMatchObject({ statusCode: 400 })
    await expect(send('1', 'a:old', '2026-10-01T00:00:00Z')).rejects.toMatchObject({
      code: 'timestamp_too_far_in_past',
    })
    const range = {
      customer: customer.id,
      start_time: seconds('2026-11-20T00:00:00Z'),
      end_time: seconds('2026-11-21T00:00:00Z'),
    }
    expect(
      (await stripe.billing.meters.listEventSummaries(plans.meter.id, range)).data.map((one) => one.aggregated_value),
    ).toEqual([12345])
    await to('2026-12-01T00:10:00Z')
    await send('5', 'a:2', '2026-11-30T23:00:00Z')
    const draft = (await now()).latest_invoice as Stripe.Invoice
    expect(draft.lines.data[0]).toMatchObject({
      amount: 123,
      quantity: 12345,
      period: { start: item.current_period_start },
    })
    await to('2026-12-01T02:00:00Z')
    expect((await invoices())[0]).toMatchObject({
      status: 'paid',
      total: 124,
      lines: { data: [{ quantity: 12350, amount: 124 }] },
    })
    const ended = await stripe.subscriptions.cancel((await now()).id)
    expect(ended.latest_invoice).not.toBe(draft.id)
  })
})
