import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { processEvents } from '../events/process-events.ts'
import { keepListed, settleBilling } from '../testing/billing.ts'
import { prepareCatalog, syncCatalog } from './sync-catalog.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => vi.restoreAllMocks())

const sell = (name: string) =>
  server.deps.stripe!.client.products.create({
    name,
    metadata: { credits: '10' },
    default_price_data: { recurring: { interval: 'month' }, currency: 'usd', unit_amount: 900 },
  })
const offered = async (name: string) =>
  (await server.db.pool.query('select 1 from plans where active and name = $1', [name])).rowCount
const waiting = async () =>
  (await server.db.pool.query('select 1 from stripe_events where processed_at is null')).rowCount

/** Startup log lines about plans, as [plan, sentence]. */
async function warnings(): Promise<string[][]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await prepareCatalog({ ...server.deps, log })
  return lines.map((line) => JSON.parse(line)).map(({ plan, msg }) => [plan, msg])
}

test('the start warns about a paid plan without credits, and about no other', async () => {
  expect(await warnings()).toEqual([])
  const month = { recurring: { interval: 'month' as const }, currency: 'usd' }
  const { products } = server.deps.stripe!.client
  await products.create({ name: 'Nameless', default_price_data: { ...month, unit_amount: 900 } })
  await products.create({
    name: 'Misspelled',
    metadata: { credits: '10,000' },
    default_price_data: { ...month, unit_amount: 900 },
  })
  await products.create({
    name: 'Named',
    metadata: { credit: '5' },
    default_price_data: { ...month, unit_amount: 900 },
  })
  await products.create({
    name: 'Endless',
    metadata: { unlimited: 'true' },
    default_price_data: { ...month, unit_amount: 900 },
  })
  await products.create({ name: 'Gift', default_price_data: { ...month, unit_amount: 0 } })
  const sentence = 'a paid plan has no credits set and gets 1,000: set metadata.credits at Stripe'
  expect((await warnings()).sort()).toEqual([
    ['Misspelled', sentence],
    ['Nameless', sentence],
  ])
})

test('a failed catalog read is retried; several changes share one read', async () => {
  await settleBilling(server)
  server.stripeSandbox!.disturbances.paused = true
  await sell('First of two')
  await sell('Second of two')
  // The server's own worker may look for events at any moment, too.
  const list = vi.spyOn(server.deps.stripe!.client.products, 'list').mockImplementation(() => {
    throw new Error('Stripe is away')
  })
  await keepListed(server)
  server.stripeSandbox!.disturbances.paused = false
  const events = (await waiting())!
  expect(events).toBeGreaterThan(2)
  await processEvents(server.deps)
  expect([await waiting(), await offered('First of two')]).toEqual([events, 0])
  const { rows: before } = await server.db.pool.query('select id from stripe_events where processed_at is null')
  list.mockRestore()
  await server.db.pool.query('update stripe_events set next_attempt_at = app_now() where processed_at is null')
  await processEvents(server.deps)
  // A webhook that came before may still be at work and take some of them: then there are two reads.
  await vi.waitFor(async () => expect(await waiting()).toBe(0), 120_000)
  const { rows: reads } = await server.db.pool.query(
    'select distinct xmin::text from stripe_events where id = any($1)',
    [before.map(({ id }) => id)],
  )
  expect(reads.length).toBeGreaterThan(0)
  expect(reads.length).toBeLessThan(3)
  expect([await offered('First of two'), await offered('Second of two')]).toEqual([1, 1])
})

test('of two concurrent reads the older result is never written last', async () => {
  const { products } = server.deps.stripe!.client
  const { id } = await sell('Soon gone')
  await settleBilling(server)
  expect(await offered('Soon gone')).toBe(1)
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  const list = products.list.bind(products)
  const read = vi.spyOn(products, 'list').mockImplementationOnce(((...words: Parameters<typeof list>) => {
    const answer = list(...words).autoPagingToArray({ limit: 100 })
    return (async function* () {
      const seen = await answer
      await held
      yield* seen
    })()
  }) as never)
  const older = syncCatalog(server.deps)
  await vi.waitFor(() => expect(read).toHaveBeenCalled(), 120_000)
  await products.update(id, { active: false })
  const newer = syncCatalog(server.deps)
  // If it were not blocked, it would finish long before the older one.
  await Promise.race([newer, new Promise((done) => setTimeout(done, 500))])
  release()
  await Promise.all([older, newer])
  expect(await offered('Soon gone')).toBe(0)
})
