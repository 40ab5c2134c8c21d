import { setTimeout as wait } from 'node:timers/promises'
import type Stripe from 'stripe'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { settleAccounts } from '../../../credits/settle.ts'
import { processEvents } from '../../events/process-events.ts'
import { syncCatalog } from '../../plans/sync-catalog.ts'
import { seedCatalog } from '../../stripe/seed-catalog.ts'
import { pressByApi, useApiPortal } from './api-actions.ts'
import { type ApiTarget, watchClient } from './api-client.ts'
import { type EventDelivery, maxPlan, type Stage, wipeProduct } from './stage.ts'

/** A clock moves at most two subscription intervals at once. */
const LONGEST_STEP = 28 * 86_400
const WEBHOOK_SECRET = 'whsec_stories_on_the_api'

/** Stories that need more than Stripe's API, each with the reason. */
const unsupported = {
  'a debit that takes days grants when it arrives': 'a bank debit by the API needs a mandate',
  'a dispute holds the credits, and gives them back when it is won': 'a bank decides disputes',
  'a dispute that is lost takes the credits for good': 'a bank decides disputes',
  'what was claimed under a dispute comes back when it is won': 'a bank decides disputes',
}

/**
 * The stories on a server known only by Stripe's API: Stripe's test mode, or a peer in another process. Each story has
 * its own customer and test clock, which is deleted afterwards. Events are read from /v1/events and posted, signed, to
 * our webhook route, since Stripe cannot reach a test. `quietMs`: how long Stripe must have no new events before they
 * count as complete; there is no signal to await instead.
 */
export async function startApiStage(target: ApiTarget, { quietMs = target.url ? 0 : 2_500 } = {}): Promise<Stage> {
  const server = await startTestServer({
    env: {
      STRIPE_SECRET_KEY: target.key,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      ...(target.url && { STRIPE_URL: target.url }),
    },
  })
  const client = watchClient(server, target)
  const { stripe } = client
  await seedCatalog(server.deps.stripe!)
  await offerMax(stripe, true)
  await syncCatalog(server.deps)
  const waiting = new Map<string, string>()
  const press = pressByApi(client, waiting)
  let delivery: EventDelivery = 'in order'
  let last: string | undefined

  const newEvents = async (): Promise<Stripe.Event[]> => {
    const found: Stripe.Event[] = []
    for (;;) {
      const page = await stripe.events.list({ limit: 100, ...(last && { ending_before: last }) })
      found.push(...page.data.toReversed())
      last = page.data[0]?.id ?? last
      if (!page.has_more || page.data.length === 0) return found
    }
  }
  const post = async (event: Stripe.Event): Promise<void> => {
    const payload = JSON.stringify(event)
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    const answer = await server.app.inject({ method: 'POST', url: '/webhooks/stripe', payload, headers })
    if (answer.statusCode !== 200) throw new Error(`${event.type} was refused: ${answer.payload}`)
  }
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 2; ) {
      const events = await newEvents()
      const posted = delivery === 'in order' ? events : [...events, ...events].sort(() => Math.random() - 0.5)
      for (const event of posted) await post(event)
      await applyAll(server)
      quiet = events.length > 0 ? 0 : quiet + 1
      if (quiet < 2 && quietMs > 0) await wait(quietMs)
    }
  }
  const now = async (): Promise<number> =>
    Math.floor((await server.db.pool.query('select extract(epoch from app_now())::float8 as now')).rows[0].now)
  const moveClock = async (to: number): Promise<void> => {
    let clock = await stripe.testHelpers.testClocks.retrieve(client.clock ?? '')
    while (clock.frozen_time < to) {
      await stripe.testHelpers.testClocks.advance(clock.id, {
        frozen_time: Math.min(to, clock.frozen_time + LONGEST_STEP),
      })
      do clock = await stripe.testHelpers.testClocks.retrieve(clock.id)
      while (clock.status === 'advancing' && (await wait(1_000, true)))
      if (clock.status !== 'ready') throw new Error(`the test clock is ${clock.status}`)
    }
  }
  /** Checkout pages at Stripe expire by real time, whatever a test clock says. */
  const closeOldPages = async (): Promise<void> => {
    for (const { id } of client.pages.values()) {
      const page = await stripe.checkout.sessions.retrieve(id)
      if (page.status === 'open' && page.expires_at <= (await now())) await stripe.checkout.sessions.expire(id)
    }
  }
  return {
    server,
    unsupported,
    open: async (next) => {
      if (next === 'lost, then reconciled') throw new Error('lists at Stripe omit objects on a test clock')
      delivery = next
      await wipeProduct(server)
      client.pages.clear()
      waiting.clear()
      last = (await stripe.events.list({ limit: 1 })).data[0]?.id
      const frozen = { frozen_time: await now(), name: 'Finmeter stories' }
      client.clock = (await stripe.testHelpers.testClocks.create(frozen)).id
    },
    settle,
    passTime: async (seconds) => {
      await settleAccounts(server.db)
      await server.db.pool.query(
        `insert into app_clock (offset_by) values ($1 * interval '1 second')
         on conflict (only_row) do update set offset_by = app_clock.offset_by + excluded.offset_by`,
        [seconds],
      )
      await moveClock(await now())
      await closeOldPages()
      await settle()
    },
    press,
    portal: async (_url, fields) => {
      const { rows } = await server.db.pool.query('select id from billing_customers')
      return useApiPortal(stripe, rows[0].id, fields)
    },
    openDispute: () => Promise.reject(new Error('a bank opens disputes')),
    closeDispute: () => Promise.reject(new Error('a bank decides disputes')),
    clear: async () => {
      if (client.clock) await stripe.testHelpers.testClocks.del(client.clock)
      client.clock = null
    },
    close: async () => {
      await offerMax(stripe, false)
      await server.close()
    },
  }
}

/**
 * Applies the posted events. The webhook route is applying them too, so this waits for the events that it has locked.
 */
async function applyAll({ deps, db }: TestServer): Promise<void> {
  for (let round = 0; round < 500; round++) {
    await db.pool.query('update stripe_events set next_attempt_at = app_now() where processed_at is null')
    await processEvents(deps)
    const { rows } = await db.pool.query('select type, error from stripe_events where processed_at is null')
    if (rows.length === 0) return
    if (rows.some(({ error }) => error !== null)) throw new Error(`an event cannot be applied: ${JSON.stringify(rows)}`)
    await wait(20)
  }
  throw new Error('billing does not settle')
}

/** A plan above Pro, created if missing. Prices cannot be deleted, so it is archived afterwards. */
async function offerMax(stripe: Stripe, active: boolean): Promise<void> {
  const { data } = await stripe.products.list({ ids: [maxPlan.id], limit: 1 })
  if (data[0]) await stripe.products.update(maxPlan.id, { active })
  else await stripe.products.create(maxPlan)
}
