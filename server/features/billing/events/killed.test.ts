import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { checkBillingInvariants } from '../billing-invariants.ts'
import { keepListed, plansByName, pressCheckout, settleListed } from '../testing/billing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  // Nothing is delivered, so that the server's own worker never begins.
  server.stripeSandbox!.disturbances.paused = true
})
afterAll(() => server.close())

/** Starts a worker on the server's database that is killed at the given step. Returns the signal that ended it. */
const workUntil = (step: string): Promise<NodeJS.Signals | null> =>
  new Promise((done) => {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    const env = {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: server.databaseUrl,
      KEYS_SECRET: 'ab'.repeat(32),
    }
    const script = join(import.meta.dirname, '../testing/die-at-step.ts')
    spawn(process.execPath, [script, step], { env, stdio: 'ignore' }).once('exit', (_code, signal) => done(signal))
  })

// death.test.ts stops at every step within one process. Here a real process dies, with its database connection.
const steps = [
  'event taken',
  'subscription written',
  'invoice written',
  'line written',
  'credits granted',
  'event applied',
  'event marked',
]

test.each(steps)(
  'a worker that is killed after "%s" leaves nothing half done, and the next worker finishes',
  async (step) => {
    const person = await startSession(server)
    const { Pro } = await plansByName(person)
    const body = { priceId: Pro?.priceId, trial: false }
    const opened = await person.call('POST', '/api/billing/checkout', { body })
    await pressCheckout(opened.body.data.url, 'pay')
    await keepListed(server)
    expect(await workUntil(step)).toBe('SIGKILL')
    const { rows } = await server.db.pool.query(
      `update billing_leases set until = clock_timestamp() where until > clock_timestamp() returning name`,
    )
    // What it held is free after a minute; here, at once.
    expect(rows).toHaveLength(1)
    await settleListed(server)
    const read = async (path: string) => (await person.call('GET', path)).body.data
    expect((await read('/api/billing/credits')).credits.remaining).toBe(100_000)
    expect((await read('/api/billing/subscription')).subscriptions).toHaveLength(1)
    expect(await checkBillingInvariants(server.db)).toEqual([])
    expect(await checkInvariants(server.db)).toEqual([])
  },
)
