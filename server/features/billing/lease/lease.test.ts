import { expect, test } from 'vitest'
import type { Queryable } from '#server/db/database.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { keepEvent } from '../events/keep-event.ts'
import { processEvents } from '../events/process-events.ts'
import { createStripeAccess } from '../stripe/client.ts'
import { listEventsSince } from '../stripe/read-event.ts'
import { buyPlan, plansByName, settleBilling } from '../testing/billing.ts'
import { needLease } from './ask-between.ts'
import { inLease, transactInLease, transactWithStripe } from './in-lease.ts'
import { awaitLease, leaseOfCustomer, releaseLease, takeLease } from './take-lease.ts'

const server = await closeAfterTests(startTestServer())
const { db } = server
const stripe = server.deps.stripe!
const idle = `select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`

/** Stripe with one product, which answers each request when it is told to. */
function slowStripe() {
  const asked = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const answers = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  let requests = 0
  const fetch = async () => {
    const at = requests++
    asked[at]!.resolve()
    await answers[at]!.promise
    return Response.json({ id: 'prod_1', object: 'product', name: `answer ${at}` })
  }
  const config = { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined, STRIPE_URL: undefined }
  const { client } = createStripeAccess(config, { fetch, webhookSecret: 'whsec_none' })!
  return { read: () => client.products.retrieve('prod_1'), asked, answers, requests: () => requests }
}

test('one holder at a time; the next has a higher fence', async () => {
  const first = (await takeLease(db, 'one'))!
  expect(await takeLease(db, 'one')).toBeNull()
  const waiting = awaitLease(db, 'one')
  await releaseLease(db, first)
  const second = await waiting
  expect(second.fence).toBe(first.fence + 1)
  await releaseLease(db, first)
  expect(await takeLease(db, 'one')).toBeNull()
})

test('a holder that was paused past its lease writes nothing, and its successor does', async () => {
  const { read, asked, answers } = slowStripe()
  const paused = (await takeLease(db, 'paused'))!
  const write = (name: string) => (tx: Queryable) =>
    tx
      .insertInto('billing_leases')
      .values({ name, until: new Date(0) })
      .execute()
  const late = transactWithStripe(db, paused, async (tx) => {
    await read()
    await write('by the paused one')(tx)
  })
  await asked[0]!.promise
  await db.pool.query(`update billing_leases set until = clock_timestamp() where name = 'paused'`)
  const next = (await takeLease(db, 'paused'))!
  answers[0]!.resolve()
  await expect(late).rejects.toThrow('Another server has taken over paused.')
  await transactWithStripe(db, next, write('by the next one'))
  const { rows } = await db.pool.query(`select name from billing_leases where name like 'by %'`)
  expect(rows).toEqual([{ name: 'by the next one' }])
})

test('while Stripe has not answered, no transaction is open; each request is sent once', async () => {
  const { read, asked, answers, requests } = slowStripe()
  const seen: (string | null)[][] = []
  const work = transactInLease(db, 'slow', async () => {
    const [one, two] = [await read(), await read()]
    seen.push([one.name, two.name])
  })
  for (const at of [0, 1]) {
    await asked[at]!.promise
    expect((await db.pool.query(idle)).rows).toEqual([{ count: 0 }])
    answers[at]!.resolve()
  }
  await work
  expect([requests(), seen]).toEqual([2, [['answer 0', 'answer 1']]])
})

test('a run that asks something else than the one before gets the answer to that', async () => {
  const made = await Promise.all(['One', 'Other'].map((name) => stripe.client.products.create({ name })))
  let run = 0
  const found = await transactInLease(
    db,
    'changed',
    async () => (await stripe.client.products.retrieve(made[Math.min(run++, 1)]!.id)).name,
  )
  expect([found, run]).toEqual(['Other', 3])
})

test('a request inside a transaction without a lease is refused', async () => {
  const asked = db.kysely.transaction().execute(() => stripe.client.products.list({ limit: 1 }))
  await expect(asked).rejects.toThrow(/connection to Stripe/)
})

test('an error that the work catches does not commit a run without its reply', async () => {
  const names: (string | undefined)[] = []
  const made = await stripe.client.products.create({ name: 'Caught' })
  await transactInLease(db, 'caught', async () => {
    const found = await stripe.client.products.retrieve(made.id).catch(() => undefined)
    names.push(found?.name)
  })
  expect(names).toEqual([undefined, 'Caught'])
})

test('two workers apply the events of one customer in turn, each once, in whatever order they came', async () => {
  const person = await startSession(server)
  await buyPlan(server, person, (await plansByName(person)).Pro)
  const hints = await listEventsSince(stripe, new Date(0))
  await db.pool.query(`update stripe_events set processed_at = null, next_attempt_at = app_now()`)
  for (const hint of hints.toReversed()) await keepEvent(db.kysely, hint)
  await Promise.all([processEvents(server.deps), processEvents(server.deps)])
  await settleBilling(server)
  const { credits } = (await person.call('GET', '/api/billing/credits')).body.data
  expect(credits.remaining).toBe(100_000)
  const { rows } = await db.pool.query('select from stripe_events where processed_at is null or attempts > 0')
  expect(rows).toEqual([])
})

test('an event whose worker was taken over is not counted as failed, and the next worker applies it', async () => {
  const person = await startSession(server)
  await buyPlan(server, person, (await plansByName(person)).Pro)
  let takenOver: Promise<unknown> | undefined
  const step = (name: string) => {
    // Waits for the run's row lock, so it comes between two runs.
    if (name === 'event taken')
      takenOver ??= db.pool.query(`update billing_leases set fence = fence + 1 where name like 'customer:%'`)
  }
  const waiting = async () =>
    (await db.pool.query('select attempts, error from stripe_events where processed_at is null')).rows
  // The server's own worker may be faster or at work on it, and on a busy machine the second run may lock its row before the takeover.
  do {
    takenOver = undefined
    // A takeover that came too late has left its lease to nobody.
    await db.pool.query('update billing_leases set until = clock_timestamp()')
    await settleBilling(server)
    await db.pool.query(`update stripe_events set processed_at = null
      where id = (select id from stripe_events where type = 'invoice.paid' limit 1)`)
    await processEvents(server.deps, step)
    await takenOver
  } while (!takenOver || (await waiting()).length === 0)
  expect(await waiting()).toEqual([{ attempts: 0, error: null }])
  await db.pool.query('update billing_leases set until = clock_timestamp()')
  await processEvents(server.deps)
  await expect.poll(waiting).toEqual([])
})

test('an event that comes while its customer is in use is applied soon after', async () => {
  const person = await startSession(server)
  await buyPlan(server, person, (await plansByName(person)).Pro)
  const { rows } = await db.pool.query('select id from billing_customers order by created_at desc limit 1')
  const lease = (await takeLease(db, leaseOfCustomer(rows[0].id)))!
  await stripe.client.customers.update(rows[0].id, { name: 'Changed' })
  await server.stripeSandbox!.flush()
  const waiting = async () => (await db.pool.query('select from stripe_events where processed_at is null')).rowCount
  expect(await waiting()).toBe(1)
  await releaseLease(db, lease)
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
})

test('a request that waits for a lease has it before the events that wait', async () => {
  const person = await startSession(server)
  await buyPlan(server, person, (await plansByName(person)).Pro)
  const { rows } = await db.pool.query('select id from billing_customers order by created_at desc limit 1')
  const name = leaseOfCustomer(rows[0].id)
  const held = await awaitLease(db, name)
  await db.pool.query('update stripe_events set processed_at = null where customer_id = $1', [rows[0].id])
  const waiting = awaitLease(db, name)
  // By now it has looked once, and looks again a while later.
  expect(await takeLease(db, name)).toBeNull()
  await releaseLease(db, held)
  expect(await processEvents(server.deps)).toBe(0)
  await releaseLease(db, await waiting)
  await settleBilling(server)
})

test('what is asked after a lease was needed is newer than what its last holder wrote; all leases are given back', async () => {
  const { id } = await stripe.client.products.create({ name: 'Old' })
  const name = async () => (await stripe.client.products.retrieve(id)).name
  const [own, other] = [(await takeLease(db, 'own'))!, (await takeLease(db, 'other'))!]
  let runs = 0
  const work = async () => {
    runs++
    const before = await name()
    await needLease('other')
    return [before, await name()]
  }
  await expect(transactWithStripe(db, own, work, { waits: false })).rejects.toThrow('at work on other')
  const waiting = transactWithStripe(db, own, work)
  await expect.poll(() => runs).toBe(4)
  await stripe.client.products.update(id, { name: 'New' })
  await releaseLease(db, other)
  expect(await waiting).toEqual(['Old', 'New'])
  expect(await takeLease(db, 'other')).not.toBeNull()
})

test('a lease is not needed outside of a transaction that can run again', async () => {
  await expect(needLease('none')).rejects.toThrow('A lease inside a transaction that cannot run again: none')
})

test('work that fails gives the lease back', async () => {
  await expect(inLease(db, 'failed', () => Promise.reject(new Error('of its own')))).rejects.toThrow('of its own')
  expect(await takeLease(db, 'failed')).not.toBeNull()
})
