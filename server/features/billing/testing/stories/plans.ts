import { expect } from 'vitest'
import { DAY, HOUR, type World } from './world.ts'

export type Scenario = (world: World) => Promise<void>

/** The catalog is read again after events that require it. */
const patience = { timeout: 20_000 }

const amounts = async (world: World) => (await world.invoices()).map(({ amount, status }) => `${amount} ${status}`)

/** Stories of plans: getting one, paying for it, changing it, losing it. */
export const planScenarios: Record<string, Scenario> = {
  'the free plan gives 1,000 credits and no invoice to see': async (world) => {
    expect(await world.redeemFree()).toBe(false)
    expect(await world.credits()).toBe(1_000)
    expect(await world.redeemFree()).toBe(true)
    expect(await world.credits()).toBe(1_000)
    expect(await world.invoices()).toEqual([])
    expect(await world.subscription()).toMatchObject({ status: 'active', plan_type: 'free', plan: { name: 'Free' } })
  },
  'the free plan refills each month and nothing rolls over': async (world) => {
    await world.redeemFree()
    await world.spend(300)
    await world.endPeriod()
    expect(await world.credits()).toBe(1_000)
    await world.endPeriod()
    expect(await world.credits()).toBe(1_000)
  },
  'the free plan is redeemed again when a trial ends: its month continues and grants nothing twice': async (world) => {
    await world.redeemFree()
    const { current_period_end: end } = await world.subscription()
    await world.spend(300)
    await world.buy('Pro', { trial: true })
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.pass(14 * DAY + 3 * HOUR, 2)
    expect(await world.subscription()).toBeNull()
    expect(await world.credits()).toBe(700)
    expect(await world.redeemFree()).toBe(false)
    expect(await world.subscription()).toMatchObject({ status: 'active', plan_type: 'free', current_period_end: end })
    expect(await world.credits()).toBe(700)
    expect(await world.redeemFree()).toBe(true)
    await world.endPeriod()
    expect(await world.credits()).toBe(1_000)
    expect(await world.invoices()).toEqual([])
  },
  'the free plan can be redeemed again in a later month, whenever a paid plan ends': async (world) => {
    await world.redeemFree()
    for (let time = 0; time < 2; time++) {
      await world.buy('Pro')
      await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
      await world.pass(45 * DAY, 3)
      expect(await world.subscription()).toBeNull()
      expect(await world.spend(1)).toBe('insufficient_credits')
      expect(await world.redeemFree()).toBe(false)
      expect(await world.credits()).toBe(1_000)
      await world.spend(400)
      await world.endPeriod()
      expect(await world.credits()).toBe(1_000)
    }
    expect((await world.get('/api/billing/subscription')).subscriptions).toHaveLength(1)
  },
  'a paid plan is bought, and two clicks buy one': async (world) => {
    const [one, two] = await Promise.all([world.openCheckout('Pro'), world.openCheckout('Pro')])
    expect(one).toBe(two)
    await Promise.all([world.press(one, 'pay'), world.press(two, 'pay')])
    await world.settle()
    expect(await world.credits()).toBe(100_000)
    expect(await amounts(world)).toEqual(['1900 paid'])
    expect(
      (await world.stripe.subscriptions.list({ customer: await world.customer(), status: 'all' })).data,
    ).toHaveLength(1)
  },
  'a plan created at Stripe is offered, bought, and no longer offered once archived': async (world) => {
    const made = await world.stripe.products.create({
      name: 'Brief',
      metadata: { credits: '700' },
      default_price_data: { currency: 'usd', unit_amount: 300, recurring: { interval: 'month' } },
    })
    const offered = async () =>
      (await world.get('/api/billing/plans')).plans.find((plan: { id: string }) => plan.id === made.id)
    try {
      await world.settle()
      await expect.poll(offered, patience).toMatchObject({ name: 'Brief', price: 300, interval: 'month', credits: 700 })
      const body = { priceId: (await offered()).priceId }
      const opened = await world.person.call('POST', '/api/billing/checkout', { body })
      await world.press(opened.body.data.url, 'pay')
      await world.settle()
      expect(await world.credits()).toBe(700)
      expect(await amounts(world)).toEqual(['300 paid'])
    } finally {
      await world.stripe.products.update(made.id, { active: false })
    }
    await world.settle()
    await expect.poll(offered, patience).toBeUndefined()
    expect(await world.subscription()).toMatchObject({
      status: 'active',
      plan: { name: 'Brief', credits_included: 700 },
    })
  },
  'an unlimited plan records every call and leaves the balance alone until it ends': async (world) => {
    const made = await world.stripe.products.create({
      name: 'Endless',
      metadata: { unlimited: 'true', credits: '700' },
      default_price_data: { currency: 'usd', unit_amount: 49_900, recurring: { interval: 'month' } },
    })
    try {
      await world.settle()
      const offered = async () =>
        (await world.get('/api/billing/plans')).plans.find((plan: { id: string }) => plan.id === made.id)
      await expect.poll(offered, patience).toBeDefined()
      await world.topUp(1)
      const opened = await world.person.call('POST', '/api/billing/checkout', {
        body: { priceId: (await offered()).priceId },
      })
      await world.press(opened.body.data.url, 'pay')
      await world.settle()
    } finally {
      await world.stripe.products.update(made.id, { active: false })
    }
    const held = async () => (await world.get('/api/billing/credits')).credits
    expect(await held()).toMatchObject({ remaining: 10_700, unlimited: true })
    expect([await world.spend(600_000), await world.spend(1)]).toEqual(['charged', 'charged'])
    expect(await held()).toMatchObject({ remaining: 10_700, unlimited: true })
    const { rows } = await world.server.db.pool.query(
      'select sum(from_credits + from_payg)::int as charged, count(*)::int as calls from usage_events',
    )
    expect(rows).toEqual([{ charged: 0, calls: 2 }])
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.pass(32 * DAY)
    expect(await held()).toMatchObject({ remaining: 10_000, unlimited: false })
    expect(await world.spend(10_001)).toBe('insufficient_credits')
  },
  'a declined card buys nothing, and the next one does': async (world) => {
    const url = await world.openCheckout('Pro')
    expect((await world.press(url, 'decline')).location).toBeNull()
    await world.settle()
    expect(await world.subscription()).toBeNull()
    await world.press(url, 'pay')
    await world.settle()
    expect(await world.credits()).toBe(100_000)
  },
  'a bank asks for authentication, and the plan starts after it': async (world) => {
    const url = await world.openCheckout('Pro')
    expect((await world.press(url, 'authenticate')).location).toBeNull()
    await world.press(url, 'authenticated', 'pm_card_authenticationRequired')
    await world.settle()
    expect(await world.subscription()).toMatchObject({ status: 'active', plan: { name: 'Pro' } })
    expect(await world.credits()).toBe(100_000)
  },
  'an abandoned page buys nothing and expires': async (world) => {
    const url = await world.openCheckout('Pro')
    await world.press(url, 'abandon')
    await world.pass(25 * HOUR)
    expect(await world.subscription()).toBeNull()
    const { rows } = await world.server.db.pool.query('select status from checkouts')
    expect(rows).toEqual([{ status: 'expired' }])
    expect(await world.openCheckout('Pro')).not.toBe(url)
  },
  'choosing another plan closes the page of the first': async (world) => {
    const first = await world.openCheckout('Pro')
    const second = await world.openCheckout('Max')
    await world.press(second, 'pay')
    await world.press(first, 'pay').catch(() => null)
    await world.settle()
    expect((await world.get('/api/billing/subscription')).subscriptions).toHaveLength(1)
    expect(await world.credits()).toBe(300_000)
    expect(await amounts(world)).toEqual(['4900 paid'])
  },
  'a paid plan takes the place of the free one, whose credits stay': async (world) => {
    await world.redeemFree()
    await world.buy('Pro')
    expect(await world.credits()).toBe(101_000)
    const { subscriptions } = await world.get('/api/billing/subscription')
    expect(subscriptions.map(({ plan }: { plan: { name: string } }) => plan.name)).toEqual(['Pro'])
  },
  'a trial of fourteen days becomes a paid plan': async (world) => {
    await world.buy('Pro', { trial: true })
    expect(await world.subscription()).toMatchObject({ status: 'active', provider_status: 'trialing' })
    expect(await world.credits()).toBe(100_000)
    await world.spend(40_000)
    await world.pass(14 * DAY + 60)
    await world.pass(3 * HOUR, 3)
    expect(await world.subscription()).toMatchObject({ status: 'active', provider_status: 'active', trial_end: null })
    expect(await world.credits()).toBe(100_000)
    expect(await amounts(world)).toEqual(['1900 paid'])
  },
  'a canceled trial costs nothing, and there is no second one': async (world) => {
    await world.buy('Pro', { trial: true })
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.pass(14 * DAY + 60)
    await world.pass(3 * HOUR)
    expect(await world.subscription()).toBeNull()
    expect(await world.credits()).toBe(0)
    await world.buy('Pro', { trial: true })
    expect(await world.subscription()).toMatchObject({ provider_status: 'active' })
    expect(await amounts(world)).toEqual(['1900 paid'])
  },
  'a month renews: new credits replace the old ones, and no call falls between': async (world) => {
    await world.buy('Pro')
    await world.spend(60_000)
    const { current_period_end: end } = await world.subscription()
    await world.pass(end - Date.now() / 1000 + 60)
    expect(await world.spend(1)).toBe('charged')
    await world.pass(3 * HOUR, 3)
    expect(await world.credits()).toBe(100_000)
    expect(await amounts(world)).toEqual(['1900 paid', '1900 paid'])
  },
  "an upgrade is paid at once, minus unused time, and grants the new plan's credits": async (world) => {
    await world.buy('Pro')
    await world.spend(10_000)
    await world.pass(10 * DAY)
    const price = world.plans.Max?.priceId ?? ''
    await world.portal({ action: 'change', subscription: (await world.subscription()).id, price })
    expect(await world.subscription()).toMatchObject({ status: 'active', plan: { name: 'Max' } })
    expect(await world.credits()).toBe(300_000)
    const [upgrade] = await world.invoices()
    expect(upgrade?.amount).toBeGreaterThan(4_900 - 1_900)
    expect(upgrade?.amount).toBeLessThan(4_900)
  },
  'an upgrade that is declined changes nothing': async (world) => {
    await world.buy('Pro')
    await world.portal({ action: 'card', card: 'pm_card_chargeCustomerFail' })
    const price = world.plans.Max?.priceId ?? ''
    await world.portal({ action: 'change', subscription: (await world.subscription()).id, price })
    expect(await world.subscription()).toMatchObject({ status: 'active', plan: { name: 'Pro' } })
    expect(await world.credits()).toBe(100_000)
  },
  'a downgrade waits for the end of the paid period': async (world) => {
    await world.buy('Max')
    const price = world.plans.Pro?.priceId ?? ''
    await world.portal({ action: 'change', subscription: (await world.subscription()).id, price })
    expect(await world.subscription()).toMatchObject({ plan: { name: 'Max' }, pending_change: { name: 'Pro' } })
    expect(await world.credits()).toBe(300_000)
    await world.endPeriod()
    expect(await world.subscription()).toMatchObject({ plan: { name: 'Pro' }, pending_change: null })
    expect(await world.credits()).toBe(100_000)
    expect(await amounts(world)).toEqual(['1900 paid', '4900 paid'])
  },
  'a year is paid at once and granted month by month': async (world) => {
    await world.buy('Pro', { year: true })
    expect(await amounts(world)).toEqual(['18240 paid'])
    for (let month = 0; month < 3; month++) {
      expect(await world.credits()).toBe(100_000)
      await world.spend(99_000)
      await world.pass(31 * DAY)
    }
    expect(await world.credits()).toBe(100_000)
    expect(await amounts(world)).toEqual(['18240 paid'])
  },
  'a monthly plan becomes yearly at once, minus the unused part of the month': async (world) => {
    await world.buy('Pro')
    await world.spend(10_000)
    await world.pass(10 * DAY)
    const price = world.plans.Pro?.annual?.priceId ?? ''
    await world.portal({ action: 'change', subscription: (await world.subscription()).id, price })
    expect(await world.subscription()).toMatchObject({ status: 'active', plan: { interval: 'year', amount: 18_240 } })
    expect(await world.credits()).toBe(100_000)
    const [upgrade] = await world.invoices()
    expect(upgrade?.amount).toBeGreaterThan(18_240 - 1_900)
    expect(upgrade?.amount).toBeLessThan(18_240)
    await world.pass(40 * DAY, 2)
    expect(await world.credits()).toBe(100_000)
  },
  'a yearly plan becomes monthly when the year is over': async (world) => {
    await world.buy('Pro', { year: true })
    const price = world.plans.Pro?.priceId ?? ''
    await world.portal({ action: 'change', subscription: (await world.subscription()).id, price })
    expect(await world.subscription()).toMatchObject({
      plan: { interval: 'year' },
      pending_change: { priceId: price, name: 'Pro' },
    })
    await world.endPeriod()
    expect(await world.subscription()).toMatchObject({ plan: { interval: 'month' }, pending_change: null })
    expect(await amounts(world)).toEqual(['1900 paid', '18240 paid'])
  },
  'a plan that is canceled and resumed renews': async (world) => {
    await world.buy('Pro')
    const { id } = await world.subscription()
    await world.portal({ action: 'cancel', subscription: id })
    expect((await world.subscription()).cancels_at).toBe((await world.subscription()).current_period_end)
    await world.portal({ action: 'resume', subscription: id })
    expect((await world.subscription()).cancels_at).toBeNull()
    await world.endPeriod()
    expect(await amounts(world)).toEqual(['1900 paid', '1900 paid'])
  },
  'a canceled plan keeps its credits until the end of the month, and no longer': async (world) => {
    await world.buy('Pro')
    await world.portal({ action: 'cancel', subscription: (await world.subscription()).id })
    await world.pass(20 * DAY)
    expect(await world.spend(1)).toBe('charged')
    await world.pass(12 * DAY)
    expect(await world.subscription()).toBeNull()
    expect(await world.credits()).toBe(0)
    expect(await world.spend(1)).toBe('insufficient_credits')
  },
  'a failed renewal is tolerated for a week, and paid by another card': async (world) => {
    await world.buy('Pro')
    await world.portal({ action: 'card', card: 'pm_card_chargeCustomerFail' })
    await world.endPeriod()
    expect(await world.subscription()).toMatchObject({ status: 'past_due' })
    const mailed = () => world.server.mailbox!.list(world.person.email).map(({ subject }) => subject)
    await expect.poll(mailed).toEqual(['A payment failed'])
    expect(await world.spend(1_000)).toBe('charged')
    await world.portal({ action: 'card', card: 'pm_card_visa' })
    await world.pass(4 * DAY)
    expect(await world.subscription()).toMatchObject({ status: 'active' })
    expect(await world.credits()).toBe(100_000)
    expect(await amounts(world)).toEqual(['1900 paid', '1900 paid'])
  },
  'a renewal that is never paid ends the plan': async (world) => {
    await world.buy('Pro')
    await world.portal({ action: 'card', card: 'pm_card_chargeCustomerFail' })
    await world.endPeriod()
    await world.pass(16 * DAY, 4)
    expect(await world.subscription()).toBeNull()
    expect(await world.credits()).toBe(0)
    expect(await amounts(world)).toEqual(['1900 void', '1900 paid'])
    expect(await world.spend(1)).toBe('insufficient_credits')
  },
}
