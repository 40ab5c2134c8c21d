import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { startServerProcess } from '../../testing/process.ts'
import { canPay, decoded, encoded, type PaidWorld, type Payment, startPaidWorld } from './testing/paid-world.ts'

const FACILITATOR_TOKEN = 'token-of-the-facilitator-1234'
const PATH = '/v1/bars/AAPL?range=1mo'

describe.skipIf(!canPay)('secrets of payments', () => {
  let world: PaidWorld
  let database: TestDatabase
  const traces: string[] = []
  const collector = createServer(async (request, response) => {
    traces.push(await text(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  beforeAll(async () => {
    world = await startPaidWorld()
    database = await createTestDatabase()
    await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done))
  })
  afterAll(async () => {
    collector.close()
    await database?.drop()
    await world?.stop()
  })

  test('no signature, token or key is in the log, a trace, an error or any table, however a payment ends', async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const server = startServerProcess({
      ...world.env,
      NODE_ENV: 'test',
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: database.url,
      KEYS_SECRET: 'ab'.repeat(32),
      LOG_LEVEL: 'trace',
      X402_FACILITATOR_TOKEN: FACILITATOR_TOKEN,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    })
    await server.ready
    const secrets = new Set([FACILITATOR_TOKEN])
    const errors: string[] = []
    const payer = await world.payer(10_000_000n)
    const noted = async (terms: Payment): Promise<Payment> => {
      const payment = await payer.sign(terms)
      secrets.add(payment.payload.signature.slice(2)).add(encoded(payment).slice(-80))
      return payment
    }
    const ask = async (path: string, init: RequestInit, status: number): Promise<Payment> => {
      const answer = await fetch(url + path, init)
      const body = await answer.text()
      expect([path, answer.status]).toEqual([path, status])
      if (status >= 300)
        errors.push(body + answer.headers.get('payment-required') + answer.headers.get('payment-response'))
      return JSON.parse(body)
    }
    const termsOf = async (path: string, init?: RequestInit) =>
      decoded((await fetch(url + path, init)).headers.get('payment-required'))
    const pay = (header: string, status: number) => ask(PATH, { headers: { 'payment-signature': header } }, status)

    const terms = await termsOf(PATH)
    await pay(encoded(await noted(terms)), 200)
    // Cut off, for another amount, under another name, refused, and unknown.
    await pay(encoded(await noted(terms)).slice(0, -40), 400)
    const wrong = await noted(terms)
    await pay(
      encoded({ ...wrong, payload: { ...wrong.payload, extra: wrong.payload.signature, authorization: 7 } }),
      400,
    )
    const other = await noted(terms)
    await pay(encoded({ ...other, accepted: { ...other.accepted, amount: other.payload.signature } }), 402)
    world.facilitator.fault = 'refused'
    await pay(encoded(await noted(terms)), 402)
    world.facilitator.fault = 'error'
    await pay(encoded(await noted(terms)), 503)
    world.facilitator.fault = null

    const tool = (name: string, args: object, payment?: Payment) => {
      const _meta = payment && { 'x402/payment': payment }
      const params = { name, arguments: args, ...(_meta && { _meta }) }
      return {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }
    }
    const mcp = '/mcp?payment=x402'
    const args = { symbol: 'AAPL', range: '1mo' }
    const { structuredContent } = (await ask(mcp, tool('get_bars', args), 200)).result
    const paid = await ask(mcp, tool('get_bars', args, await noted(structuredContent)), 200)
    expect(paid.result.isError ?? false).toBe(false)
    const broken = { ...(await noted(structuredContent)), accepted: 1 }
    const refused = await ask(mcp, tool('get_bars', args, broken), 200)
    expect(refused.result?.isError ?? true).toBe(true)
    errors.push(JSON.stringify(refused))

    const wish = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ usd: 1, idempotency_key: randomUUID() }),
    }
    const header = encoded(await noted(await termsOf('/v1/agent-balances', wish)))
    const { data } = await ask(
      '/v1/agent-balances',
      { ...wish, headers: { ...wish.headers, 'payment-signature': header } },
      201,
    )
    secrets.add(data.key.slice(3)).add(data.claim_link.split('#')[1])
    await ask(PATH, { headers: { 'x-api-key': data.key } }, 200)

    await server.stop()
    const { output } = await server.ended
    const tables = await contentsOf(database)
    for (const [place, found] of [
      ['log', output],
      ['traces', traces.join('\n')],
      ['errors', errors.join('\n')],
      ['tables', tables],
    ] as const) {
      expect([place, found.length > 500]).toEqual([place, true])
      for (const secret of secrets)
        for (const form of [secret, Buffer.from(secret).toString('hex')])
          expect([place, secret, found.toLowerCase().includes(form.toLowerCase())]).toEqual([place, secret, false])
    }
  })
})

/** Every row of every table, as text. */
async function contentsOf({ db: { pool } }: TestDatabase): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const parts: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    parts.push(...rows.map(({ row }) => row))
  }
  return parts.join('\n')
}
