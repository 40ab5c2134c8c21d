import type { Invoice, Plan, Subscription } from '#contract/billing.ts'
import type { TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { settleAccounts } from '../../../credits/settle.ts'
import { checkInvariants } from '../../../metering/invariants.ts'
import { checkBillingInvariants } from '../../billing-invariants.ts'
import { settleForgottenCheckouts } from '../../checkout/settle-checkouts.ts'
import { grantMonths } from '../../invoices/grant-months.ts'
import { billUsage } from '../../pay-as-you-go/bill-usage.ts'
import { endGrace } from '../../plans/refresh-entitlements.ts'
import { renewFreePlans } from '../../plans/renew-free-plans.ts'
import { reconcile } from '../../reconcile.ts'
import { runAutoTopups } from '../../topups/auto-topup.ts'
import { accountOf, plansByName, spend } from '../billing.ts'
import type { EventDelivery, Stage } from './stage.ts'

export const HOUR = 3_600
export const DAY = 86_400

/** One customer, alone in the installation, and everything they can do about money. */
export interface World {
  stage: Stage
  server: TestServer
  person: TestSession
  plans: Record<string, Plan>
  stripe: NonNullable<TestServer['deps']['stripe']>['client']
  // biome-ignore lint/suspicious/noExplicitAny: an answer is unknown until the story has checked it
  get: (path: string) => Promise<any>
  buy: (plan: string, options?: { trial?: boolean; year?: boolean; card?: string }) => Promise<void>
  openCheckout: (plan: string, trial?: boolean) => Promise<string>
  press: Stage['press']
  topUp: (packs: number, options?: { saveCard?: boolean; card?: string }) => Promise<void>
  redeemFree: () => Promise<boolean>
  /** Presses a button of the portal with the fields of its form. Returns the page's text. */
  portal: (fields: Record<string, string>) => Promise<string>
  spend: (credits: number) => Promise<string>
  /** Moves time in steps, running the jobs of each. */
  pass: (seconds: number, steps?: number) => Promise<void>
  /** Moves to just after the end of the period, and past the hours in which its invoice is made. */
  endPeriod: () => Promise<void>
  /** Delivers and applies every event, whatever the delivery mode. */
  settle: () => Promise<void>
  credits: () => Promise<number>
  subscription: () => Promise<Subscription>
  invoices: () => Promise<Invoice[]>
  customer: () => Promise<string>
  account: () => Promise<number>
  violations: () => Promise<unknown[]>
}

export async function openWorld(stage: Stage, delivery: EventDelivery): Promise<World> {
  const { server } = stage
  await stage.open(delivery)
  const stripe = server.deps.stripe!.client
  const person = await startSession(server)
  const plans = await plansByName(person)

  const get = async (path: string) => (await person.call('GET', path)).body.data
  const settle = async () => {
    await stage.settle()
    if (delivery === 'lost, then reconciled') await reconcile(server.deps)
    await settleAccounts(server.db)
  }
  const jobs = async () => {
    await settle()
    await settleForgottenCheckouts(server.deps)
    await renewFreePlans(server.deps)
    await grantMonths(server.deps)
    await billUsage(server.deps)
    await runAutoTopups(server.deps)
    await endGrace(server.deps)
    await settle()
  }
  const pass = async (seconds: number, steps = 1) => {
    for (let step = 0; step < steps; step++) {
      await stage.passTime(Math.round(seconds / steps))
      await jobs()
    }
  }
  const subscription = async (): Promise<Subscription> => (await get('/api/billing/subscription')).subscription
  const account = () => accountOf(server, person)
  const customer = async () =>
    (await server.db.pool.query('select id from billing_customers where account_id = $1', [await account()])).rows[0].id
  const open = async (path: string, body: object): Promise<string> => {
    const opened = await person.call('POST', path, { body })
    if (opened.status !== 200) throw new Error(opened.text)
    return opened.body.data.url
  }
  const pay = async (url: string, card?: string) => {
    const paid = await stage.press(url, 'pay', card)
    if (paid.location === null) throw new Error(`the checkout page kept the buyer: ${paid.text}`)
    await settle()
  }
  return {
    stage,
    server,
    person,
    plans,
    stripe,
    get,
    settle,
    pass,
    subscription,
    account,
    customer,
    openCheckout: (plan, trial = false) => open('/api/billing/checkout', { priceId: plans[plan]?.priceId, trial }),
    press: stage.press,
    buy: async (plan, { trial = false, year = false, card } = {}) => {
      const priceId = year ? plans[plan]?.annual?.priceId : plans[plan]?.priceId
      await pay(await open('/api/billing/checkout', { priceId, trial }), card)
    },
    topUp: async (packs, { saveCard = false, card } = {}) =>
      pay(await open('/api/billing/credits/topup', { packs, saveCard }), card),
    redeemFree: async () => {
      const answer = await person.call('POST', '/api/billing/subscribe-free-plan')
      if (answer.status !== 200) throw new Error(answer.text)
      await settle()
      return answer.body.data.alreadySubscribed
    },
    portal: async (fields) => {
      const text = await stage.portal(await open('/api/billing/portal', {}), fields)
      await settle()
      return text
    },
    spend: (credits) => spend(server, person, credits),
    endPeriod: async () => {
      const { current_period_end: end } = await subscription()
      const { rows } = await server.db.pool.query('select extract(epoch from app_now())::float8 as now')
      await pass(Math.ceil(end - rows[0].now) + 5)
      await pass(5 * HOUR, 5)
    },
    credits: async () => (await get('/api/billing/credits')).credits.remaining,
    invoices: () => get('/billing/invoices'),
    violations: async () => {
      await settleAccounts(server.db)
      return [...(await checkBillingInvariants(server.db)), ...(await checkInvariants(server.db))]
    },
  }
}
