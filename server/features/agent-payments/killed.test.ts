import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createLimits } from '../../http/limits/limits.ts'
import { createLog } from '../../log.ts'
import { secretsOf } from '../../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase, testConfig } from '../../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { checkBillingInvariants } from '../billing/billing-invariants.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { openPayments } from './open-payments.ts'
import {
  canPay,
  decoded,
  encoded,
  type PaidWorld,
  type Payer,
  type Payment,
  startPaidWorld,
} from './testing/paid-world.ts'

const KEYS_SECRET = 'cd'.repeat(32)
const PATH = '/v1/bars/AAPL?range=1mo'
const AGENTS = 8

/** Prints what is loaded of payments. */
const spy = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (/agent-payments\\/(?!list-payments)|\\/viem\\/|@x402/.test(url)) console.log('loaded ' + url)
    return next(url, context)
  } })`)}`

describe.skipIf(!canPay)('servers that are killed while they are paid', () => {
  let world: PaidWorld
  let database: TestDatabase
  let running: ServerProcess[] = []
  beforeAll(async () => {
    world = await startPaidWorld()
  }, 120_000)
  afterAll(() => world?.stop())
  afterEach(async () => {
    world.facilitator.beforeSettle = null
    world.facilitator.afterSettle = null
    await Promise.all(running.map((server) => server.stop()))
    running = []
    await database.drop()
  })

  async function start(env: Record<string, string>, port: number): Promise<ServerProcess> {
    const server = startServerProcess({
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      KEYS_SECRET,
      PORT: String(port),
      NODE_OPTIONS: `--import=${spy}`,
      ...env,
    })
    running.push(server)
    await server.ready
    return server
  }

  test('the packages of payments are loaded only where they are on', async () => {
    database = await createTestDatabase()
    const ports = [await freePort(), await freePort()] as const
    const [off, on] = [await start({}, ports[0]), await start(world.env, ports[1])]
    expect((await fetch(`http://localhost:${ports[0]}${PATH}`)).status).toBe(401)
    expect((await fetch(`http://localhost:${ports[1]}${PATH}`)).status).toBe(402)
    await Promise.all([off.stop(), on.stop()])
    expect((await off.ended).output).not.toContain('loaded ')
    expect((await on.ended).output).toMatch(/loaded .*agent-payments.*\n[\s\S]*loaded .*viem/)
  })

  const steps = ['run', 'settled', 'settling'] as const
  test.each(steps)(
    'kill -9 after %s, with two servers: nothing is delivered unpaid, and no payment is lost',
    async (step) => {
      database = await createTestDatabase()
      const { db } = database
      const before = await world.received()
      const ports = [await freePort(), await freePort()] as const
      const url = (n: 0 | 1) => `http://localhost:${ports[n]}${PATH}`
      const env = { ...world.env, PUBLIC_URL: `http://localhost:${ports[0]}` }
      const first = await start(env, ports[0])
      await start(env, ports[1])

      let struck = false
      const strike = async (): Promise<void> => {
        if (struck) return
        struck = true
        first.child.kill('SIGKILL')
        await first.ended
      }
      // The payment on whose way the server died is not sent.
      if (step === 'settling')
        world.facilitator.beforeSettle = async () => {
          if (struck) return
          await strike()
          throw new Error('not sent')
        }
      // What the dead server had asked for is done all the same, and the chain knows of it only then.
      let settling = 0
      if (step === 'settled') {
        world.facilitator.beforeSettle = async () => {
          settling++
        }
        world.facilitator.afterSettle = async () => {
          settling--
          await strike()
        }
      }

      // No claim can begin to be settled while this lock is held.
      await db.pool.query(
        `create function wait_for_test() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(42); return new; end $$`,
      )
      await db.pool.query(
        `create trigger wait_for_test before update on agent_payments for each row when (new.state = 'settling') execute function wait_for_test()`,
      )
      const lock = step === 'run' ? await db.pool.connect() : null
      await lock?.query('begin')
      await lock?.query('select pg_advisory_xact_lock(42)')

      const agents: Payer[] = []
      for (let n = 0; n < AGENTS; n++) agents.push(await world.payer())
      const terms = decoded((await fetch(url(0))).headers.get('payment-required'))
      const payments: Payment[] = []
      for (const agent of agents) payments.push(await agent.sign(terms))
      const ask = (payment: Payment, n: 0 | 1) =>
        fetch(url(n), { headers: { 'payment-signature': encoded(payment) } }).then(
          async (answer) => ({
            status: answer.status,
            charged: answer.headers.get('x-credits-charged'),
            body: await answer.text(),
          }),
          () => ({ status: 0, charged: null, body: '' }),
        )
      const known = async (state: string) =>
        Number((await db.pool.query('select count(*) from agent_payments where state = $1', [state])).rows[0].count)
      const asked = payments.map((payment, n) => ask(payment, (n % 2) as 0 | 1))
      if (step === 'run') {
        await expect.poll(() => known('claimed'), { timeout: 20_000 }).toBe(AGENTS)
        await strike()
        // What the dead server had asked for is not done after its end, and neither is what the other one asked for.
        await db.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        await lock?.query('rollback')
        lock?.release()
      }
      const answers = await Promise.all(asked)
      expect(struck).toBe(true)
      await expect.poll(() => settling).toBe(0)
      if (step === 'run') expect(await known('claimed')).toBeGreaterThan(0)

      // The time that a dead server's claims last has passed.
      await db.pool.query(`update agent_payments set claimed_until = app_now() where state = 'claimed'`)
      await db.pool.query(
        `update agent_payments set settling_at = app_now() - interval '5 minutes' where state = 'settling'`,
      )
      const config = testConfig(database.url, ports[1], env)
      const job = openPayments({
        config,
        db,
        limits: createLimits(config),
        log: createLog(config),
        secrets: secretsOf(config),
      })
      await job.findOut()

      const again = await Promise.all(payments.map((payment) => ask(payment, 1)))
      const unknown = await known('unknown')
      expect(again.map(({ status }) => status).sort()).toEqual([
        ...Array(AGENTS - unknown).fill(200),
        ...Array(unknown).fill(503),
      ])
      if (step === 'settled') expect(unknown).toBe(0)
      if (step === 'settling') expect(unknown).toBeGreaterThan(0)

      // Nobody sent what is unknown, and nobody can any more: it has failed, and is not delivered.
      if (step === 'settling') {
        await world.chain.passTime(1_000)
        expect(await job.findOut()).toBe(unknown)
        expect(await known('failed')).toBe(unknown)
      }
      const settled = AGENTS - unknown
      expect(await known('settled')).toBe(settled)
      expect((await world.received()) - before).toBe(BigInt(settled) * 1000n)
      const { rows } = await db.pool.query(
        'select count(*)::int as calls, sum(from_credits)::int as credits, count(distinct account_id)::int as payers from usage_events where success',
      )
      expect(rows).toEqual([{ calls: settled, credits: settled, payers: settled }])
      const delivered = answers.filter(({ status }) => status === 200).length
      expect(delivered).toBeLessThanOrEqual(settled)
      expect([...(await checkInvariants(db)), ...(await checkBillingInvariants(db))]).toEqual([])
    },
  )
})
