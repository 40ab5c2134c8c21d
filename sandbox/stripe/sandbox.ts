import { readFileSync } from 'node:fs'
import type { FastifyPluginAsync } from 'fastify'
import pg from 'pg'
import { answer, type Transact } from './api/answer.ts'
import { Courier, type Deliver, type Disturbances, postTo } from './api/webhooks.ts'
import { advanceOne } from './billing/due.ts'
import { closeDispute, openDispute, settleRefund } from './objects/refunds.ts'
import { Session } from './objects/session.ts'
import { sandboxPages } from './pages/routes.ts'

export interface StripeSandboxOptions {
  connectionString: string
  /** What connects to the database; pg's own client unless stated. */
  Client?: typeof pg.Client
  /** The address at which customers reach the pages, without a trailing slash. */
  publicUrl: string
  /** Who sells, as invoices name them. */
  sellerName?: () => string
  /** The receiver of all events, by HTTP or as a function that returns the status. Either needs the secret. */
  webhookUrl?: string
  deliver?: Deliver
  webhookSecret?: string
  /** Milliseconds since 1970. */
  clock?: () => number
  /** How often to look for due work and deliveries; 0: only in `runDue` and `flush`. */
  tickMs?: number
  onError?: (error: unknown) => void
}

export interface StripeSandbox {
  /** For `Stripe.createFetchHttpClient`: answers /v1/ from the database, never from the network. */
  fetch: typeof globalThis.fetch
  /** The checkout, invoice and portal pages, under /sandbox. */
  routes: FastifyPluginAsync
  /** The API over HTTP, under /v1, for peers in other processes. */
  api: FastifyPluginAsync
  disturbances: Disturbances
  /** Moves the sandbox's clock forward and does everything that falls due. */
  advance: (seconds: number) => Promise<void>
  /** Does everything that is due now. Returns how many things were done. */
  runDue: () => Promise<number>
  /** Delivers waiting events, with all their retries. */
  flush: () => Promise<void>
  openDispute: (chargeId: string) => Promise<string>
  closeDispute: (disputeId: string, outcome: 'won' | 'lost') => Promise<void>
  /** Ends a refund of the card pm_card_pendingRefund. */
  settleRefund: (refundId: string, outcome: 'succeeded' | 'failed') => Promise<void>
  stop: () => Promise<void>
}

const lock = 7_467_311

/** Opens a local peer of the Stripe API on a PostgreSQL database, in the schema `stripe_sandbox`. */
export async function createStripeSandbox(options: StripeSandboxOptions): Promise<StripeSandbox> {
  const deliver = options.deliver ?? (options.webhookUrl ? postTo(options.webhookUrl) : null)
  if (deliver && !options.webhookSecret?.trim()) throw new Error('The sandbox needs a webhook secret to sign events')
  const receiver = deliver ? { deliver, secret: options.webhookSecret as string } : null
  const { connectionString, Client = pg.Client } = options
  const pool = new pg.Pool({ Client, connectionString, max: 6, allowExitOnIdle: true })
  // The pool resolves its end before its connections are closed; what they report then is no fault.
  const report = (error: unknown): void => {
    if (!pool.ending) options.onError?.(error)
  }
  pool.on('error', report)
  // A connection that fails while in use emits its error on the client; unhandled, it would end the server.
  pool.on('connect', (client) => client.on('error', report))
  await migrate(pool).catch(async (error) => {
    await pool.end()
    throw error
  })
  const courier = new Courier(pool, receiver)
  const { publicUrl, sellerName = () => 'Sandbox seller' } = options
  const around = { publicUrl, sellerName, hasReceiver: receiver !== null }
  const clock = options.clock ?? Date.now
  const ticking = options.tickMs !== 0
  let stopped = false
  let posting: Promise<unknown> = Promise.resolve()

  const transact: Transact = async (request, writes, work) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      if (writes) await client.query('select pg_advisory_xact_lock($1)', [lock])
      const { rows } = await client.query<{ value: string }>(
        "select value from stripe_sandbox.settings where name = 'clock_offset'",
      )
      const tx = new Session(client, around, Math.floor(clock() / 1000) + Number(rows[0]?.value), request)
      const result = await work(tx)
      await client.query('commit')
      if (tx.emitted && ticking && !stopped) wake()
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    } finally {
      client.release()
    }
  }
  const inner = { id: null, idempotency_key: null }
  const wake = () => {
    posting = posting
      .then(async () => {
        while (!stopped && (await courier.round()));
      })
      .catch((error) => options.onError?.(error))
  }
  const runDue = async () => {
    let count = 0
    while (await transact(inner, true, (tx) => advanceOne(tx, null, tx.now))) count++
    return count
  }
  const flush = async () => {
    for (let round = 0; round < 100 && (await courier.round(true)); round++);
  }
  let busy = false
  const tick = async () => {
    if (busy || stopped) return
    busy = true
    await runDue().catch((error) => options.onError?.(error))
    wake()
    busy = false
  }
  const timer = ticking ? setInterval(tick, options.tickMs ?? 1000) : null
  timer?.unref()

  const fetchApi: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (!url.pathname.startsWith('/v1/'))
      throw new TypeError(`The Stripe sandbox answers only /v1/, not ${url.pathname}`)
    const { method, headers } = request
    const asked = { method, url, headers, body: await request.text() }
    const made = await answer(asked, transact).catch((error: unknown) => {
      options.onError?.(error)
      const message = `The sandbox failed: ${error instanceof Error ? error.message : 'unknown'}`
      return { status: 500, headers: {}, body: { error: { type: 'api_error', message } } }
    })
    return new Response(JSON.stringify(made.body), { status: made.status, headers: made.headers })
  }
  return {
    fetch: fetchApi,
    routes: sandboxPages((work) => transact(inner, true, work), around),
    api: apiRoutes(fetchApi),
    disturbances: courier.disturbances,
    advance: async (seconds) => {
      const sql = "update stripe_sandbox.settings set value = (value::bigint + $1)::text where name = 'clock_offset'"
      await pool.query(sql, [seconds])
      await runDue()
    },
    runDue,
    flush,
    openDispute: (id) => transact(inner, true, async (tx) => (await openDispute(tx, await tx.get('charge', id))).id),
    closeDispute: (id, outcome) => transact(inner, true, async (tx) => void (await closeDispute(tx, id, outcome))),
    settleRefund: (id, outcome) => transact(inner, true, (tx) => settleRefund(tx, id, outcome)),
    stop: async () => {
      stopped = true
      if (timer) clearInterval(timer)
      await posting
      await pool.end()
    },
  }
}

async function migrate(pool: pg.Pool): Promise<void> {
  const sql = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')
  await pool.query(`begin; select pg_advisory_xact_lock(${lock}); ${sql}; commit`)
}

function apiRoutes(fetchApi: typeof globalThis.fetch): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.all('/v1/*', async (request, reply) => {
      const headers = new Headers(request.headers as Record<string, string>)
      for (const name of ['content-length', 'connection', 'transfer-encoding', 'host']) headers.delete(name)
      const body = request.method === 'GET' || typeof request.body !== 'string' ? null : request.body
      const made = await fetchApi(`http://sandbox${request.url}`, { method: request.method, headers, body })
      reply.code(made.status).headers(Object.fromEntries(made.headers))
      return made.text()
    })
  }
}
