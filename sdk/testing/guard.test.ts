import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type DoorServer, startDoorServer } from '#server/features/meter-door/testing/door-server.ts'
import { guard, report } from '../typescript/src/guard/guard.ts'
import { type FaultRelay, openFaultRelay } from './fault-relay.ts'

let server: DoorServer
let relay: FaultRelay
const endings: (() => unknown)[] = []
beforeAll(async () => {
  server = await startDoorServer()
  relay = await openFaultRelay(server.url)
})
afterAll(async () => {
  for (const end of endings) await end()
  await relay?.close()
  await server?.close()
})
afterEach(async () => {
  relay.next(() => 'pass')
  expect(await server.invariants()).toEqual([])
  const { rows } = await server.db.pool.query('select count(*)::int as open from credit_holds')
  expect(rows[0].open).toBe(0)
})

const options = (credits = 3) => ({
  operation: 'acme_price',
  credits,
  url: relay.url,
  serviceKey: server.serviceKeys.acme,
})

async function listen(handler: RequestListener): Promise<string> {
  const http = createServer(handler)
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  endings.push(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** The same five handlers in each framework: an answer, a stream, a refusal, a failure, and less than was reserved. */
const frameworks: Record<string, () => Promise<string>> = {
  async express() {
    const app = express()
    app.get(
      '/json',
      guard(options(), (_request: express.Request, response: express.Response) => void response.json({ ok: true })),
    )
    app.get(
      '/stream',
      guard(options(), (_request: express.Request, response: express.Response) => {
        response.type('text/plain')
        Readable.from(pieces()).pipe(response)
      }),
    )
    app.get(
      '/missing',
      guard(
        options(),
        (_request: express.Request, response: express.Response) => void response.status(404).json({ ok: false }),
      ),
    )
    app.get(
      '/broken',
      guard(options(), async () => {
        throw new Error('broken')
      }),
    )
    app.get(
      '/cheap',
      guard(options(), (request: express.Request, response: express.Response) => {
        report(request, { credits: 1 })
        response.json({ ok: true })
      }),
    )
    app.use((_error: Error, _request: express.Request, response: express.Response, _next: express.Next) => {
      response.status(500).json({ ok: false })
    })
    return listen(app)
  },
  async fastify() {
    const app = Fastify()
    app.get(
      '/json',
      guard(options(), async () => ({ ok: true })),
    )
    app.get(
      '/stream',
      guard(options(), async (_request, reply) => reply.type('text/plain').send(Readable.from(pieces()))),
    )
    app.get(
      '/missing',
      guard(options(), async (_request, reply) => reply.code(404).send({ ok: false })),
    )
    app.get(
      '/broken',
      guard(options(), async () => {
        throw new Error('broken')
      }),
    )
    app.get(
      '/cheap',
      guard(options(), async (request) => {
        report(request, { credits: 1 })
        return { ok: true }
      }),
    )
    endings.push(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  async hono() {
    const app = new Hono()
    app.onError((_error, context) => context.json({ ok: false }, 500))
    app.get(
      '/json',
      guard(options(), (context) => context.json({ ok: true })),
    )
    app.get(
      '/stream',
      guard(options(), () => new Response(Readable.toWeb(Readable.from(pieces())) as ReadableStream)),
    )
    app.get(
      '/missing',
      guard(options(), (context) => context.json({ ok: false }, 404)),
    )
    app.get(
      '/broken',
      guard(options(), () => {
        throw new Error('broken')
      }),
    )
    app.get(
      '/cheap',
      guard(options(), (context) => {
        report(context, { credits: 1 })
        return context.json({ ok: true })
      }),
    )
    const running = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
    endings.push(() => running.close())
    await new Promise((done) => running.once('listening', done))
    return `http://127.0.0.1:${(running.address() as AddressInfo).port}`
  },
  /** A plain fetch handler, as edge platforms take it. */
  async fetch() {
    const routes: Record<string, (request: Request) => Response | Promise<Response>> = {
      '/json': guard(options(), () => Response.json({ ok: true })),
      '/stream': guard(options(), () => new Response(Readable.toWeb(Readable.from(pieces())) as ReadableStream)),
      '/missing': guard(options(), () => Response.json({ ok: false }, { status: 404 })),
      '/broken': guard(options(), () => {
        throw new Error('broken')
      }),
      '/cheap': guard(options(), (request: Request) => {
        report(request, { credits: 1 })
        return Response.json({ ok: true })
      }),
    }
    return listen(async (incoming, outgoing) => {
      const headers = incoming.headers as Record<string, string>
      const request = new Request(`http://localhost${incoming.url}`, { method: incoming.method!, headers })
      const answer = await Promise.resolve(routes[incoming.url!.split('?')[0]!]!(request)).catch(
        () => new Response('{"ok":false}', { status: 500 }),
      )
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
  },
}

async function* pieces() {
  for (let piece = 0; piece < 100; piece++) yield Buffer.from(`${'x'.repeat(10_000)}\n`)
}

const names = Object.keys(frameworks)
const urls: Record<string, string> = {}
beforeAll(async () => {
  for (const name of names) urls[name] = await frameworks[name]!()
})

const get = async (name: string, path: string, key?: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(urls[name] + path, {
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text }
}

test.each(names)('%s: an answer costs its price, and names its receipt', async (name) => {
  const key = await server.key({ credits: 10, prefix: 'nw_' })
  const { status, headers, text } = await get(name, '/json', key.value)
  expect([status, JSON.parse(text)]).toEqual([200, { ok: true }])
  expect(headers.get('content-type')).toContain('application/json')
  expect([headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual(['3', '7'])
  expect(headers.get('x-receipt-id')).toMatch(/^rcpt_/)
  expect((await get(name, '/cheap', key.value)).headers.get('x-credits-remaining')).toBe('6')
  expect(await server.spending(key.accountId)).toEqual({ rows: 2, failedRows: 0, credits: 4 })
})

test.each(names)('%s: a stream arrives whole, after its charge', async (name) => {
  const key = await server.key({ credits: 10, prefix: 'nw_' })
  const { headers, text } = await get(name, '/stream', key.value)
  expect([text.length, headers.get('x-credits-charged')]).toEqual([1_000_100, '3'])
})

test.each(names)('%s: refusals reach the customer, and the handler does not run', async (name) => {
  const refused = async (key?: string) => {
    const { status, headers, text } = await get(name, '/json', key)
    expect(headers.get('content-type')).toContain('application/problem+json')
    return [status, JSON.parse(text).code, headers.get('retry-after')]
  }
  expect(await refused()).toEqual([401, 'key_missing', null])
  expect(await refused('fm_wrong')).toEqual([401, 'key_invalid', null])
  expect(await refused((await server.key()).value)).toEqual([402, 'insufficient_credits', null])
  const busy = await server.key({ credits: 10, rateLimit: 1 })
  await get(name, '/json', busy.value)
  expect(await refused(busy.value)).toEqual([429, 'rate_limited', expect.stringMatching(/^\d+$/)])
})

test.each(names)('%s: wrong requests and failures cost nothing', async (name) => {
  const key = await server.key({ credits: 10, prefix: 'nw_' })
  const missing = await get(name, '/missing', key.value)
  expect([missing.status, missing.headers.get('x-credits-charged')]).toEqual([404, '0'])
  expect((await get(name, '/broken', key.value)).status).toBe(500)
  await expect.poll(async () => (await server.spending(key.accountId)).rows).toBe(1)
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 1, credits: 0 })
})

/** Sets the clock to some seconds after the start of a slot of five minutes, in the past. */
function clock(slotsAgo: number): void {
  vi.spyOn(Date, 'now').mockReturnValue((Math.floor(performance.timeOrigin / 300_000) - slotsAgo) * 300_000 + 9_000)
}
afterEach(() => void vi.restoreAllMocks())

test.each(names)('%s: a repeat with an Idempotency-Key is free, for five minutes', async (name) => {
  const key = await server.key({ credits: 10, prefix: 'nw_' })
  clock(1)
  const headers = { 'idempotency-key': 'once' }
  const first = await get(name, '/json', key.value, headers)
  const second = await get(name, '/json', key.value, headers)
  expect([second.headers.get('x-credits-charged'), second.headers.get('x-receipt-id')]).toEqual([
    '0',
    first.headers.get('x-receipt-id'),
  ])
  expect((await get(name, '/json?other', key.value, headers)).headers.get('x-credits-charged')).toBe('3')
  clock(0)
  expect((await get(name, '/json', key.value, headers)).headers.get('x-credits-charged')).toBe('3')
})

test.each(names)('%s: a lost answer to the settlement is asked for again, and charged once', async (name) => {
  const key = await server.key({ credits: 10, prefix: 'nw_' })
  let lost = 0
  relay.next((path) => (path.endsWith('/settle') && lost++ === 0 ? 'lose' : 'pass'))
  const { status, headers } = await get(name, '/json', key.value)
  expect([status, headers.get('x-receipt-id')]).toEqual([200, expect.stringMatching(/^rcpt_/)])
  expect(lost).toBe(2)
  expect(await server.spending(key.accountId)).toEqual({ rows: 1, failedRows: 0, credits: 3 })
})

test.each(names)(
  '%s: without Finmeter nothing is served, and customers learn nothing of the service key',
  async (name) => {
    const key = await server.key({ credits: 10, prefix: 'nw_' })
    relay.next(() => 'refuse')
    const closed = await get(name, '/json', key.value)
    expect([closed.status, JSON.parse(closed.text).code]).toEqual([503, 'metering_unavailable'])
    expect(await server.spending(key.accountId)).toEqual({ rows: 0, failedRows: 0, credits: 0 })
  },
)

test('a hold that is charged at its end is asked for once, and without an idempotency key', async () => {
  const { value, accountId } = await server.key({ credits: 10, prefix: 'nw_' })
  const holds: string[] = []
  let lose = false
  const network: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    if (!lose) return answer
    holds.push((await answer.json()).hold)
    throw new Error('lost')
  }
  const handler = guard({ ...options(), unsettled: 'charge', fetch: network }, () => Response.json({ ok: true }))
  const wrapped = handler as unknown as (request: Request) => Promise<Response>
  const headers = { 'x-api-key': value, 'idempotency-key': 'once' }
  const ask = () => wrapped(new Request('http://localhost/', { headers }))
  const answer = await ask()
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '3'])
  lose = true
  const lost = await ask()
  expect([lost.status, (await lost.json()).code]).toEqual([503, 'metering_unavailable'])
  for (const hold of holds) await server.post('release', { hold }, server.serviceKeys.acme)
  expect(holds).toHaveLength(1)
  expect(await server.spending(accountId)).toEqual({ rows: 1, failedRows: 0, credits: 3 })
})

test('a guard with a wrong service key serves nothing, and does not say why', async () => {
  const { value } = await server.key({ credits: 10, prefix: 'nw_' })
  const handler = guard({ ...options(), serviceKey: 'fms_wrong' }, () => Response.json({ ok: true }))
  const wrapped = handler as unknown as (request: Request) => Promise<Response>
  const answer = await wrapped(new Request('http://localhost/', { headers: { 'x-api-key': value } }))
  const text = await answer.text()
  expect([answer.status, JSON.parse(text).code]).toEqual([503, 'metering_unavailable'])
  expect(text).not.toContain('service')
})
