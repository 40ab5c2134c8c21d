import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '#contract/billing.ts'
import type { TestServer } from '#server/testing/harness.ts'
import type { TestSession } from '#server/testing/session.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { charging } from '../../metering/charging.ts'
import { keepEvent } from '../events/keep-event.ts'
import { processEvents } from '../events/process-events.ts'
import { listEventsSince } from '../stripe/read-event.ts'

/** Delivers the Stripe sandbox's events and applies them, until nothing is waiting. */
export async function settleBilling({ stripeSandbox, deps, db }: TestServer): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await stripeSandbox?.flush()
    await processEvents(deps)
    const { rows } = await db.pool.query(
      `select (select count(*) from stripe_events where processed_at is null and dead_at is null)
        + (select count(*) from stripe_sandbox.deliveries where state = 'pending') as open,
       exists (select from billing_leases where until > clock_timestamp()) as busy`,
    )
    if (rows[0].open === 0) return
    // The server's own worker is at one of them.
    if (rows[0].busy) {
      round--
      await sleep(20)
    }
    await db.pool.query('update stripe_events set next_attempt_at = app_now() where processed_at is null')
  }
  throw new Error('billing does not settle')
}

/** Stores the events that Stripe lists, without applying them. Returns how many are new. */
export async function keepListed({ deps, db }: TestServer): Promise<number> {
  let fresh = 0
  for (const hint of await listEventsSince(deps.stripe!, new Date(0))) if (await keepEvent(db.kysely, hint)) fresh++
  return fresh
}

/** The same as `settleBilling` where nothing is delivered, so that the server's own worker never begins. */
export async function settleListed(server: TestServer): Promise<void> {
  do {
    await server.db.pool.query('update stripe_events set next_attempt_at = app_now() where processed_at is null')
    await processEvents(server.deps)
  } while ((await keepListed(server)) > 0)
  const { rows } = await server.db.pool.query('select type, error from stripe_events where processed_at is null')
  if (rows.length > 0) throw new Error(`billing does not settle: ${JSON.stringify(rows)}`)
}

/** Moves the clocks of product and sandbox together and runs everything due, hour by hour where `step` says so. */
export async function passTime(server: TestServer, seconds: number): Promise<void> {
  await settleAccounts(server.db)
  await server.db.pool.query(
    `insert into app_clock (offset_by) values ($1 * interval '1 second')
     on conflict (only_row) do update set offset_by = app_clock.offset_by + excluded.offset_by`,
    [seconds],
  )
  await server.stripeSandbox?.advance(seconds)
  await settleBilling(server)
}

/** Plans by name, as the person sees them. */
export async function plansByName(person: TestSession): Promise<Record<string, Plan>> {
  const { plans } = (await person.call('GET', '/api/billing/plans')).body.data
  return Object.fromEntries(plans.map((plan: Plan) => [plan.name, plan]))
}

/**
 * Presses a button of the sandbox's checkout page. Returns where the browser goes, or the text of the page shown again.
 * `buyer`: the fields of billing details, where the page asks for them.
 */
export async function pressCheckout(
  url: string,
  outcome: string,
  card?: string,
  buyer?: Record<string, string>,
): Promise<{ location: string | null; text: string }> {
  const page = await (await fetch(url)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ token, outcome, ...(card && { card }), ...(buyer && { asked: 'yes', ...buyer }) })
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  return { location: answer.headers.get('location'), text: await answer.text() }
}

/** The person's account. */
export async function accountOf({ db }: TestServer, { userId }: TestSession): Promise<number> {
  return (await db.pool.query('select id from accounts where personal_of = $1', [userId])).rows[0].id
}

/** Charges one call that costs `credits`, as a tool would. Returns the outcome. */
export async function spend(server: TestServer, person: TestSession, credits: number): Promise<string> {
  const { rows } = await server.db.pool.query('select min(id)::int as id from tools')
  const outcome = await server.deps.meter[charging].commit({
    accountId: await accountOf(server, person),
    bucket: 0,
    keyId: null,
    toolId: rows[0].id,
    credits,
    status: 'success',
    durationMs: 1,
  })
  return outcome.kind === 'refused' ? outcome.code : outcome.kind
}

/** Buys a plan on the checkout page and waits until everything has settled. */
export async function buyPlan(
  server: TestServer,
  person: TestSession,
  plan: Plan | undefined,
  {
    trial = false,
    priceId = plan?.priceId,
    card,
    buyer,
  }: { trial?: boolean; priceId?: string; card?: string; buyer?: Record<string, string> } = {},
): Promise<void> {
  const opened = await person.call('POST', '/api/billing/checkout', { body: { priceId, trial } })
  if (opened.status !== 200) throw new Error(opened.text)
  const paid = await pressCheckout(opened.body.data.url, 'pay', card, buyer)
  if (paid.location === null) throw new Error('the checkout page kept the buyer')
  await settleBilling(server)
}

/** Buys packs of credits on the checkout page and waits until everything has settled. */
export async function buyCredits(
  server: TestServer,
  person: TestSession,
  packs: number,
  { saveCard = false, card, buyer }: { saveCard?: boolean; card?: string; buyer?: Record<string, string> } = {},
): Promise<void> {
  const opened = await person.call('POST', '/api/billing/credits/topup', { body: { packs, saveCard } })
  if (opened.status !== 200) throw new Error(opened.text)
  const paid = await pressCheckout(opened.body.data.url, 'pay', card, buyer)
  if (paid.location === null) throw new Error('the checkout page kept the buyer')
  await settleBilling(server)
}

/** Makes a test card the default, as the portal does. */
export async function saveCard(server: TestServer, person: TestSession, card: string): Promise<void> {
  const { rows } = await server.db.pool.query('select id from billing_customers where account_id = $1', [
    await accountOf(server, person),
  ])
  const { client } = server.deps.stripe!
  const method = await client.paymentMethods.attach(card, { customer: rows[0].id })
  await client.customers.update(rows[0].id, { invoice_settings: { default_payment_method: method.id } })
  await settleBilling(server)
}
