import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createLimits } from '../../http/limits/limits.ts'
import { createLog } from '../../log.ts'
import { secretsOf } from '../../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase, testConfig } from '../../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { openPayments } from './open-payments.ts'
import { comparePaid, newestBlock } from './testing/compare-paid.ts'
import { type Agent, CALL, kinds, newAgent } from './testing/new-agent.ts'
import { canPay, decoded, encoded, type PaidWorld, type Payment, startPaidWorld } from './testing/paid-world.ts'

const KEYS_SECRET = 'cd'.repeat(32)
const AGENTS = 9

/** Prints what is loaded of payments. */
const spy = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (/agent-payments\\/(?!list-payments|undecided)|\\/viem\\/|@x402/.test(url)) console.log('loaded ' + url)
    return next(url, context)
  } })`)}`

describe.skipIf(!canPay)('servers that are killed while they are paid', () => {
  let world: PaidWorld
  let database: TestDatabase
  let running: ServerProcess[] = []
  beforeAll(async () => {
    world = await startPaidWorld()
  })
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
    expect((await fetch(`http://localhost:${ports[0]}${CALL}`)).status).toBe(401)
    expect((await fetch(`http://localhost:${ports[1]}${CALL}`)).status).toBe(402)
    await Promise.all([off.stop(), on.stop()])
    expect((await off.ended).output).not.toContain('loaded ')
    expect((await on.ended).output).toMatch(/loaded .*agent-payments.*\n[\s\S]*loaded .*viem/)
  })

  /** Each server with the settings of both, and a job that finds out what neither knows. */
  async function startTwo() {
    database = await createTestDatabase()
    const ports = [await freePort(), await freePort()] as const
    const env = { ...world.env, PUBLIC_URL: `http://localhost:${ports[0]}` }
    const first = await start(env, ports[0])
    await start(env, ports[1])
    const config = testConfig(database.url, ports[1], env)
    const { db } = database
    const job = openPayments({
      ...{ config, db, limits: createLimits(config), log: createLog(config) },
      secrets: secretsOf({ ...config, KEYS_SECRET }),
    })
    const url = (n: number) => `http://localhost:${ports[n % 2]}`
    return { first, job, url, db }
  }

  test('one payment at two servers at once, fifty times: one call, one transfer, and every answer is that one or 409', async () => {
    const { url, db } = await startTwo()
    const block = await newestBlock(world)
    const { settle } = world.facilitator.calls
    const agent = await world.payer()
    const payment = await agent.sign(decoded((await fetch(url(0) + CALL)).headers.get('payment-required')))
    const headers = { 'payment-signature': encoded(payment) }
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        let answer = await fetch(url(n) + CALL, { headers })
        // On a busy machine, a server has no connection left for a while.
        while (answer.status === 503) answer = await fetch(url(n) + CALL, { headers })
        const charged = answer.headers.get('x-credits-charged')
        return {
          status: answer.status,
          charged,
          receipt: answer.headers.get('payment-response'),
          body: await answer.text(),
        }
      }),
    )
    const good = answers.filter(({ status }) => status === 200)
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(good.filter(({ charged }) => charged === '1')).toHaveLength(1)
    expect(new Set(good.map(({ receipt }) => receipt)).size).toBe(1)
    expect(new Set(good.map(({ body }) => body)).size).toBe(1)
    expect(world.facilitator.calls.settle - settle).toBe(1)
    const { rows } = await db.pool.query('select success, from_credits from usage_events where from_credits > 0')
    expect(rows).toEqual([{ success: true, from_credits: 1 }])
    expect(await comparePaid(world, db, block)).toEqual([])
  })

  // The last one sets the clock of the chain ahead.
  const steps = ['claim', 'settle', 'commit', 'settling'] as const
  test.each(steps)(
    'kill -9 after %s, with two servers: no call, balance or top-up is delivered unpaid, and none is lost or counted twice',
    async (step) => {
      const { first, job, url, db } = await startTwo()
      const query = async (text: string) => (await db.pool.query(text)).rows
      const known = async (state: string): Promise<number> =>
        (await query(`select count(*)::int as n from agent_payments where state = '${state}'`))[0].n
      const block = await newestBlock(world)

      const agents: Agent[] = []
      for (let n = 0; n < AGENTS; n++) agents.push(await newAgent(world, kinds[n % 3]!, url(1)))
      const bought = await known('settled')
      const payments: Payment[] = []
      for (const agent of agents) payments.push(await agent.sign(url(0)))

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
      let [settling, begun] = [0, 0]
      if (step === 'settle') {
        world.facilitator.beforeSettle = async () => {
          settling++
          begun++
        }
        world.facilitator.afterSettle = async () => {
          settling--
          // What it was about to ask for would never be done.
          await expect.poll(() => begun).toBe(AGENTS)
          await strike()
        }
      }

      // No payment goes on to be settled, or to have been, while this lock is held.
      const held = step === 'claim' ? 'settling' : step === 'commit' ? 'settled' : null
      const lock = await db.pool.connect()
      if (held) {
        await query(
          'create function wait_for_test() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(42); return new; end $$',
        )
        await query(
          `create trigger wait_for_test before update on agent_payments for each row when (new.state = '${held}') execute function wait_for_test()`,
        )
        await lock.query('begin')
        await lock.query('select pg_advisory_xact_lock(42)')
      }
      const waiting = async (): Promise<number> =>
        (
          await query(
            `select count(*)::int as n from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
          )
        )[0].n
      const asked = payments.map((payment, n) => agents[n]!.ask(url(n), payment))
      if (held) await expect.poll(waiting).toBe(AGENTS)
      if (step === 'claim') {
        await strike()
        // What the dead server had asked for is not done after its end, and neither is what the other one asked for.
        await query(
          `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
        )
        await lock.query('rollback')
      }
      if (step === 'commit') {
        // Balances are written, and nobody can read them for an answer: this lock waits for the writers alone.
        const reading = await db.pool.connect()
        await reading.query('begin')
        const locked = reading.query('lock table agent_balances in access exclusive mode')
        await expect
          .poll(async () => (await query(`select from pg_stat_activity where wait_event = 'relation'`)).length)
          .toBe(1)
        await lock.query('rollback')
        await locked
        await expect.poll(() => known('settled')).toBe(bought + AGENTS)
        await strike()
        await reading.query('rollback')
        reading.release()
      }
      lock.release()
      const answers = await Promise.all(asked)
      expect(struck).toBe(true)
      await expect.poll(() => settling).toBe(0)
      if (step === 'claim') expect(await known('claimed')).toBeGreaterThan(0)

      // The time that a dead server's claims last has passed.
      await query(`update agent_payments set claimed_until = app_now() where state = 'claimed'`)
      await query(`update agent_payments set settling_at = app_now() - interval '5 minutes' where state = 'settling'`)
      await job.findOut()

      const again = await Promise.all(payments.map((payment, n) => agents[n]!.ask(url(1), payment)))
      const unknown = await known('unknown')
      expect(again.filter(({ status }) => status === 503)).toHaveLength(unknown)
      expect(again.filter(({ status }) => status === 200 || status === 201)).toHaveLength(AGENTS - unknown)
      expect(unknown > 0).toBe(step === 'settling')
      // Nobody sent what is unknown, and nobody can any more: it has failed, and is not delivered.
      if (unknown > 0) {
        await world.chain.passTime(1_000)
        // The server that is left does the same each minute, and may be faster.
        await job.findOut()
        expect(await known('failed')).toBe(unknown)
      }
      expect(await known('settled')).toBe(bought + AGENTS - unknown)
      // What was delivered before is delivered again, the key of a balance with it.
      for (const [n, { status, key }] of answers.entries())
        if (status === 201) expect(again[n]).toMatchObject({ status: 201, key })
      expect(await comparePaid(world, db, block)).toEqual([])

      const keys = again.flatMap(({ key }) => (key ? [key] : []))
      expect(new Set(keys).size).toBe(
        again.filter(({ status }, n) => status === 201 && agents[n]!.kind === 'balance').length,
      )
      for (const key of keys) expect((await fetch(url(1) + CALL, { headers: { 'x-api-key': key } })).status).toBe(200)
    },
  )
})
