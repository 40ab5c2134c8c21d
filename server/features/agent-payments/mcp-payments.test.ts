import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { canPay, type PaidWorld, startPaidWorld } from './testing/paid-world.ts'

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'

describe.skipIf(!canPay)('payments over MCP', () => {
  let world: PaidWorld
  let server: ToolServer
  beforeAll(async () => {
    world = await startPaidWorld()
    server = await startToolServer(testTools, world.env)
  })
  afterAll(async () => {
    await server?.close()
    await world?.stop()
  })

  const revisions = ['2025-11-25', MODERN] as const
  type Revision = (typeof revisions)[number]

  /** One message, as a client of the revision sends it. */
  async function send(
    revision: Revision,
    method: string,
    params: Record<string, unknown>,
    { path = '/mcp?payment=x402', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
  ) {
    const modern = revision === MODERN
    const _meta = {
      ...(params._meta as object | undefined),
      ...(modern && { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} }),
    }
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        ...(modern && { 'mcp-method': method }),
        ...(modern && params.name !== undefined && { 'mcp-name': String(params.name) }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const call = (
    revision: Revision,
    payment?: unknown,
    args: Record<string, unknown> = { symbol: 'A' },
    name = 'test_rows',
  ) =>
    send(revision, 'tools/call', {
      name,
      arguments: args,
      ...(payment !== undefined && { _meta: { 'x402/payment': payment } }),
    })
  const usage = async (payer: string) =>
    (
      await server.db.pool.query(
        'select success, from_credits from usage_events where account_id in (select account_id from agent_accounts where payer = $1)',
        [payer],
      )
    ).rows

  describe.each(revisions)('protocol %s', (revision) => {
    test('a call without a payment is a tool result with the terms, in both forms, and no code of the protocol', async () => {
      const { status, body } = await call(revision)
      expect([status, body.error]).toEqual([200, undefined])
      const { isError, structuredContent, content } = body.result
      expect(isError).toBe(true)
      expect(structuredContent).toMatchObject({
        x402Version: 2,
        resource: { url: 'mcp://tool/test_rows' },
        accepts: [{ scheme: 'exact', amount: '3000', asset: world.chain.token }],
      })
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
      expect(JSON.stringify(body)).not.toMatch(/-320[2-9]\d/)
    })

    test('a payment in _meta is settled, and the result has its receipt; again it is free, for other arguments it is refused', async () => {
      const payer = await world.payer()
      const before = await world.received()
      const payment = await payer.sign((await call(revision)).body.result.structuredContent)
      const { body } = await call(revision, payment)
      expect(body.result).toMatchObject({
        structuredContent: { rows: [['A', 1, 'plain', false]] },
        _meta: {
          'finmeter/credits-charged': 3,
          'finmeter/receipt-id': expect.stringMatching(/^rcpt_/),
          'x402/payment-response': { success: true, payer: payer.address, network: 'eip155:31337' },
        },
      })
      expect(body.result.isError).toBeUndefined()
      expect((await world.received()) - before).toBe(3000n)
      const again = (await call(revision, payment)).body.result
      expect(again).toMatchObject({
        structuredContent: { rows: [['A', 1, 'plain', false]] },
        _meta: { 'finmeter/credits-charged': 0, 'finmeter/replayed': true, 'x402/payment-response': { success: true } },
      })
      const other = (await call(revision, payment, { symbol: 'B' })).body.result
      expect(other).toMatchObject({ isError: true, _meta: { 'finmeter/error': 'payment_reused' } })
      expect((await world.received()) - before).toBe(3000n)
      expect(await usage(payer.address)).toEqual([{ success: true, from_credits: 3 }])
      expect(await server.invariants()).toEqual([])
    })

    test('a settlement that failed: the same shape, without the content of the tool', async () => {
      const payer = await world.payer()
      const payment = await payer.sign((await call(revision)).body.result.structuredContent)
      world.facilitator.fault = 'refused'
      const { result } = (await call(revision, payment)).body
      world.facilitator.fault = null
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: 'insufficient_funds', accepts: [{ amount: '3000' }] },
        _meta: { 'x402/payment-response': { success: false, errorReason: 'insufficient_funds' } },
      })
      expect(JSON.stringify(result)).not.toContain('plain')
    })

    test('an unknown settlement says so, and asks for no other payment', async () => {
      const payer = await world.payer()
      const payment = await payer.sign((await call(revision)).body.result.structuredContent)
      world.facilitator.fault = 'error'
      const { result } = (await call(revision, payment)).body
      world.facilitator.fault = null
      expect(result).toMatchObject({ isError: true, _meta: { 'finmeter/error': 'payment_settlement_unknown' } })
      expect(result.structuredContent).toBeUndefined()
    })

    test('the list has the price of each call, and no output schemas', async () => {
      const { tools } = (await send(revision, 'tools/list', {})).body.result
      const rows = tools.find(({ name }: { name: string }) => name === 'test_rows')
      expect(rows._meta['finmeter/price']).toEqual({ usd: '0.003', network: 'eip155:31337' })
      expect(rows.outputSchema).toBeUndefined()
      expect(
        tools.find(({ name }: { name: string }) => name === 'test_per_rows')._meta['finmeter/price'],
      ).toBeUndefined()
    })

    test('without a payment nothing is free: tools that cannot be paid alone, and estimates, need a key', async () => {
      for (const result of [
        (await call(revision, undefined, { rows: 3 }, 'test_per_rows')).body.result,
        (await call(revision, undefined, { symbol: 'A', dry_run: true })).body.result,
      ])
        expect(result).toMatchObject({ isError: true, _meta: { 'finmeter/error': 'key_missing' } })
    })

    test('elsewhere nothing has changed: 401 without a key, and no terms with one', async () => {
      expect((await send(revision, 'tools/list', {}, { path: '/mcp' })).status).toBe(401)
      expect((await send(revision, 'tools/list', {}, { headers: { 'x-api-key': 'fm_wrong' } })).status).toBe(401)
      const poor = await server.key({ credits: 1 })
      const headers = { 'x-api-key': poor.value }
      const there = await send(
        revision,
        'tools/call',
        { name: 'test_rows', arguments: { symbol: 'A' } },
        { path: '/mcp', headers },
      )
      expect(there.body.result.structuredContent).toBeUndefined()
      const here = await send(revision, 'tools/call', { name: 'test_rows', arguments: { symbol: 'A' } }, { headers })
      expect(here.body.result).toMatchObject({ isError: true, structuredContent: { accepts: [{ amount: '3000' }] } })
    })
  })

  test.each(['auto', 'legacy'] as const)(
    'the official client (%s) lists tools without a key, and pays for a call',
    async (mode) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp?payment=x402`)))
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['test_rows', 'test_per_rows', 'test_failing', 'buy_balance'])
      const wanted = await client.callTool({ name: 'test_rows', arguments: { symbol: 'A' } })
      const payer = await world.payer()
      const payment = await payer.sign(wanted.structuredContent as never)
      const paid = await client.callTool({
        name: 'test_rows',
        arguments: { symbol: 'A' },
        _meta: { 'x402/payment': payment },
      })
      expect(paid).toMatchObject({ structuredContent: { rows: [['A', 1, 'plain', false]] } })
      await client.close()
    },
  )
})
