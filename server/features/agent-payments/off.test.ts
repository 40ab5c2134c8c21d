import { afterAll, beforeAll, expect, test } from 'vitest'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer(testTools)
})
afterAll(() => server?.close())

const payment = { 'payment-signature': 'e30=' }
/** Everything about an answer but what differs from request to request. */
async function answerOf(path: string, init: RequestInit = {}) {
  const answer = await fetch(`${server.url}${path}`, init)
  const headers = Object.fromEntries(answer.headers)
  for (const name of ['x-request-id', 'date']) delete headers[name]
  const body = await answer.text()
  return { status: answer.status, headers, body: body.replaceAll(/"request_id":"[^"]*"/g, '') }
}

test('without AGENT_PAYMENTS, REST knows nothing of payments', async () => {
  const plain = await answerOf('/v1/test/rows/A')
  expect(plain.status).toBe(401)
  expect(plain.headers['www-authenticate']).toBe('Bearer realm="Finmeter API key"')
  expect(await answerOf('/v1/test/rows/A', { headers: payment })).toEqual(plain)
  const { value } = await server.key({ credits: 1 })
  const refused = await answerOf('/v1/test/rows/A', { headers: { 'x-api-key': value, ...payment } })
  expect([refused.status, refused.headers['payment-required']]).toEqual([402, undefined])
  for (const path of [
    '/v1/agent-balances',
    '/v1/agent-balances/claim-link',
    '/api/agent-balances/preview',
    '/api/agent-balances/claim',
  ]) {
    const unknown = await answerOf(path.replace('balances', 'nothings'), { method: 'POST' })
    const answer = await answerOf(path, { method: 'POST' })
    expect(answer).toEqual({ ...unknown, body: unknown.body.replaceAll('nothings', 'balances') })
    expect(answer.status).toBe(404)
  }
  expect((await answerOf('/claim')).status).toBe(404)
})

test('without AGENT_PAYMENTS, the payment endpoint of MCP is the usual one', async () => {
  const init = (id: number) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }),
  })
  expect(await answerOf('/mcp?payment=x402', init(1))).toEqual(await answerOf('/mcp', init(1)))
  const { value } = await server.key()
  const keyed = await answerOf(`/mcp?payment=x402&apikey=${value}`, init(1))
  expect(keyed).toEqual(await answerOf(`/mcp?apikey=${value}`, init(1)))
  expect(keyed.body).not.toContain('finmeter/price')
})

test('without AGENT_PAYMENTS, the description says nothing of them', async () => {
  const { body } = await answerOf('/openapi.json')
  for (const word of ['x-payment-info', 'x-service-info', 'payment_', 'PAYMENT-']) expect(body).not.toContain(word)
})
