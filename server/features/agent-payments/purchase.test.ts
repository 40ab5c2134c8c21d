import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { canPay, OPERATOR } from './testing/paid-world.ts'

const TOKEN = '0x00000000000000000000000000000000000000aa'
/** Payments are on, and nobody is asked about one. */
const env = {
  AGENT_PAYMENTS: 'x402',
  AGENT_CREDIT_MICRO_USD: '1000',
  X402_ADDRESS: OPERATOR,
  X402_NETWORK: 'eip155:31337',
  X402_FACILITATOR: 'http://127.0.0.1:9',
  X402_RPC_URL: 'http://127.0.0.1:9',
  X402_TOKEN: `${TOKEN},Test Dollar,1`,
}

describe.skipIf(!canPay)('what refusals say about buying', () => {
  let server: ToolServer
  let poor: string
  let budgeted: string
  beforeAll(async () => {
    server = await startToolServer(testTools, { ...env, REST_PURCHASE: 'off', MCP_PURCHASE: 'text' })
    poor = (await server.key({ credits: 2 })).value
    const rich = await server.key({ credits: 10 })
    await server.db.pool.query('update m00.meter_keys set monthly_budget = 1 where key_id = $1', [rich.id])
    budgeted = rich.value
  })
  afterAll(() => server?.close())

  const rest = async (key?: string) => {
    const answer = await fetch(`${server.url}/v1/test/rows/A`, { headers: key ? { 'x-api-key': key } : {} })
    return { status: answer.status, headers: JSON.stringify([...answer.headers]), body: await answer.json() }
  }
  const mcp = async (path: string, key?: string, method = 'tools/call') => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: method === 'tools/call' ? { name: 'test_rows', arguments: { symbol: 'A' } } : {},
      }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  test('off: no page, price or offer, and no call is paid by itself', async () => {
    const { status, headers, body } = await rest(poor)
    expect([status, body.detail, body.docs]).toEqual([
      402,
      'This account has no credits left for this call. Nothing was charged. The owner can manage credits in the dashboard.',
      '/docs/errors/insufficient_credits',
    ])
    expect((await rest(budgeted)).body.detail).toBe(
      'This API key has used up its own credit budget. Nothing was charged. The owner can manage it in the dashboard.',
    )
    const guest = await rest()
    expect([guest.status, guest.body.code]).toEqual([401, 'key_missing'])
    expect(headers + guest.headers).not.toMatch(/payment/i)
    const described = await (await fetch(`${server.url}/openapi.json`)).text()
    expect(described).not.toMatch(/x-payment-info|x-service-info|PAYMENT-/)
  })

  test('text: the price, and neither a page nor an offer, also where payments were asked for', async () => {
    for (const path of ['/mcp', '/mcp?payment=x402']) {
      const { result } = (await mcp(path, poor)).body
      expect(result.content[0].text).toBe(
        'This call costs 3 credits and 2 are left. Nothing was charged. Add credits or change the plan.',
      )
      expect([result.structuredContent, JSON.stringify(result).includes('http')]).toEqual([undefined, false])
    }
    expect((await mcp('/mcp', budgeted)).body.result.content[0].text).toBe(
      'This call costs 3 credits, more than the budget of this API key has left. Nothing was charged. Raise the budget.',
    )
    expect((await mcp('/mcp?payment=x402', undefined, 'tools/list')).status).toBe(401)
  })

  test('an address for directories is off, whatever the setting is', async () => {
    for (const path of ['/mcp?purchase=off', '/mcp?payment=x402&purchase=off']) {
      const { result } = (await mcp(path, poor)).body
      expect(result.content[0].text).toBe(
        'This account has no credits left for this call. Nothing was charged. The owner can manage credits in the dashboard.',
      )
      expect(result._meta).toEqual({ 'finmeter/error': 'insufficient_credits', 'finmeter/credits-charged': 0 })
      expect((await mcp(path, undefined, 'tools/list')).status).toBe(401)
      expect(JSON.stringify((await mcp(path, poor, 'tools/list')).body)).not.toMatch(/usd|http|payment|buy_balance/i)
    }
  })
})
