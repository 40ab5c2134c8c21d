import type { Invoice, Plan, Subscription } from '#contract/billing.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { settleAccounts } from '../../../credits/settle.ts'
import { checkInvariants } from '../../../metering/invariants.ts'
import { runAutoTopups } from '../../auto-topup.ts'
import { billUsage } from '../../bill-usage.ts'
import { checkBillingInvariants } from '../../billing-invariants.ts'
import { grantMonths } from '../../grant-months.ts'
import { reconcile } from '../../reconcile.ts'
import { endGrace } from '../../refresh-entitlements.ts'
import { renewFreePlans } from '../../renew-free-plans.ts'
import { settleForgottenCheckouts } from '../../settle-checkouts.ts'
import {
  accountOf,
  buyCredits,
  buyPlan,
  passTime,
  plansByName,
  pressCheckout,
  settleBilling,
  spend,
} from '../billing.ts'

/** What happens to the news between Stripe and us. */
export type Weather = 'in order' | 'doubled and shuffled' | 'lost, then reconciled'

export const HOUR = 3_600
export const DAY = 86_400

/** One customer, alone in the installation, and everything they can do about money. */
export interface World {
  server: TestServer
  person: TestSession
  plans: Record<string, Plan>
  stripe: NonNullable<TestServer['deps']['stripe']>['client']
  // biome-ignore lint/suspicious/noExplicitAny: an answer is unknown until the story has checked it
  get: (path: string) => Promise<any>
  buy: (plan: string, options?: { trial?: boolean; year?: boolean; card?: string }) => Promise<void>
  openCheckout: (plan: string, trial?: boolean) => Promise<string>
  press: typeof pressCheckout
  topUp: (packs: number, options?: { saveCard?: boolean; card?: string }) => Promise<void>
  redeemFree: () => Promise<boolean>
  /** A button of the portal: what its form holds. Answers the page's text. */
  portal: (fields: Record<string, string>) => Promise<string>
  spend: (credits: number) => Promise<string>
  /** Lets time go by in steps, with the jobs of each. */
  pass: (seconds: number, steps?: number) => Promise<void>
  /** To some seconds after the end of the period, and over the hours in which its invoice is made. */
  endPeriod: () => Promise<void>
  /** Everything told and applied, however bad the weather is. */
  settle: () => Promise<void>
  credits: () => Promise<number>
  subscription: () => Promise<Subscription>
  invoices: () => Promise<Invoice[]>
  customer: () => Promise<string>
  account: () => Promise<number>
  violations: () => Promise<unknown[]>
}

/** An installation with a plan above Pro, so that there is something to change to. Operators add plans at Stripe only. */
export async function startScenarioServer(): Promise<TestServer> {
  const server = await startTestServer()
  await server.deps.stripe!.client.products.create({
    name: 'Max',
    metadata: { credits: '300000' },
    default_price_data: { currency: 'usd', unit_amount: 4_900, recurring: { interval: 'month' } },
  })
  await settleBilling(server)
  return server
}

export async function openWorld(server: TestServer, weather: Weather): Promise<World> {
  await wipe(server)
  const sandbox = server.stripeSandbox!
  const stripe = server.deps.stripe!.client
  const person = await startSession(server)
  const plans = await plansByName(person)
  if (weather === 'doubled and shuffled') Object.assign(sandbox.disturbances, { duplicates: 1, shuffle: true })
  if (weather === 'lost, then reconciled') sandbox.disturbances.drop = () => true

  const get = async (path: string) => (await person.call('GET', path)).body.data
  const settle = async () => {
    await settleBilling(server)
    if (weather === 'lost, then reconciled') await reconcile(server.deps)
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
      await passTime(server, Math.round(seconds / steps))
      await jobs()
    }
  }
  const subscription = async (): Promise<Subscription> => (await get('/api/billing/subscription')).subscription
  const account = () => accountOf(server, person)
  const customer = async () =>
    (await server.db.pool.query('select id from billing_customers where account_id = $1', [await account()])).rows[0].id
  const openCheckout = async (plan: string, trial = false) => {
    const body = { priceId: plans[plan]?.priceId, trial }
    const opened = await person.call('POST', '/api/billing/checkout', { body })
    if (opened.status !== 200) throw new Error(opened.text)
    return opened.body.data.url as string
  }
  return {
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
    openCheckout,
    press: pressCheckout,
    buy: async (plan, { trial = false, year = false, card } = {}) => {
      const chosen = plans[plan]
      const priceId = year ? chosen?.annual?.priceId : chosen?.priceId
      await buyPlan(server, person, chosen, { trial, ...(priceId && { priceId }), ...(card && { card }) })
      await settle()
    },
    topUp: async (packs, options) => {
      await buyCredits(server, person, packs, options)
      await settle()
    },
    redeemFree: async () => {
      const answer = await person.call('POST', '/api/billing/subscribe-free-plan')
      if (answer.status !== 200) throw new Error(answer.text)
      await settle()
      return answer.body.data.alreadySubscribed
    },
    portal: async (fields) => {
      const opened = await person.call('POST', '/api/billing/portal', { body: {} })
      const { url } = opened.body.data
      const token = /name="token" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
      const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ token, ...fields }) })
      const text = await answer.text()
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

/** Nobody and nothing but the catalogue, at the true time: a story costs a second instead of a server. */
async function wipe({ db }: TestServer): Promise<void> {
  await db.pool.query(`begin; set local session_replication_role = replica;
    truncate accounts, profiles, stripe_events, usage_events, usage_hourly, usage_daily, usage_pending, meter_batches, idempotency, app_clock cascade;
    update billing_settings set events_until = null;
    delete from stripe_sandbox.objects where type not in ('product', 'price', 'billing.meter', 'billing_portal.configuration');
    delete from stripe_sandbox.deliveries; delete from stripe_sandbox.idempotency;
    update stripe_sandbox.settings set value = '0' where name = 'clock_offset'; commit`)
}
