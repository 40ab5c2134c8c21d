import { type Agent, request } from 'node:http'
import { ORDER, PRICE, searchCredits } from './upstream/publish-upstream.ts'

/** A call of a tool with a known price, by either surface. */
export type Ask = { tool: string; credits: number } & (
  | {
      surface: 'rest'
      path: string
      method?: 'POST'
      /** Its answer to an idempotency key is kept: the work is done once. */
      isKept?: boolean
      headers?: Record<string, string>
      /** At a gateway, keys count only within a slot of minutes. */
      isKeyless?: boolean
    }
  | { surface: 'mcp'; arguments: object }
)

const quote = { tool: 'get_quote', credits: 1 }
const bars = { tool: 'get_bars', credits: 1 }
export const asks: readonly Ask[] = [
  { ...quote, surface: 'rest', path: '/v1/quotes?symbols=AAPL' },
  { ...quote, surface: 'rest', path: '/v1/quotes?symbols=MSFT' },
  { ...bars, surface: 'rest', path: '/v1/bars/AAPL?range=1mo' },
  { ...bars, surface: 'rest', path: '/v1/bars/GE?range=1mo' },
  { ...quote, surface: 'mcp', arguments: { symbols: ['AAPL'] } },
  { ...quote, surface: 'mcp', arguments: { symbols: ['GE'] } },
]

/** Calls of the operations of an upstream: a fixed price, one by rows with a hold of the most, one that acts. */
export const upstreamAsks: readonly Ask[] = [
  { tool: 'proof_price', credits: PRICE, surface: 'rest', path: '/v1/proof/prices/ACME', isKept: true },
  { tool: 'proof_price', credits: PRICE, surface: 'mcp', arguments: { symbol: 'ACME' } },
  {
    tool: 'proof_search',
    credits: searchCredits(25),
    surface: 'rest',
    path: '/v1/proof/search?count=25',
    isKept: true,
  },
  { tool: 'proof_order', credits: ORDER, surface: 'rest', path: '/v1/proof/orders', method: 'POST', isKept: true },
]

/** A gateway's question, which charges at once. */
export const gatewayAsk = (serviceKey: string): Ask => ({
  ...{ tool: 'proof_price', credits: PRICE, surface: 'rest', path: '/v1/meter/auth?gateway=caddy', isKeyless: true },
  headers: gatewayHeaders(serviceKey, '/prices/ACME'),
})

/** What Caddy adds to a customer's request. */
export const gatewayHeaders = (serviceKey: string, target: string): Record<string, string> => ({
  'finmeter-service-key': serviceKey,
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': target,
  'x-forwarded-for': '203.0.113.9',
})

/** An answer in REST terms: a refusal over MCP gets the status that it has over REST. */
export interface Reply {
  status: number
  receipt: string
  credits: number
  /** The body, over REST. */
  text: string
  /** Why, where it was refused. */
  code?: string
}

const statusOf: Record<string, number> = {
  insufficient_credits: 402,
  key_budget_exceeded: 402,
  account_suspended: 403,
  conflict: 409,
  upstream_failed: 502,
  overloaded: 503,
  metering_unavailable: 503,
  tool_timeout: 504,
}
const PROTOCOL = '2026-07-28'

/** Sends one call; rejects when no whole answer arrives. */
export async function send(
  agent: Agent,
  port: number,
  ask: Ask,
  apiKey: string,
  idempotencyKey?: string,
): Promise<Reply> {
  if (ask.surface === 'rest') {
    const { path, method = 'GET' } = ask
    const headers = {
      'x-api-key': apiKey,
      ...ask.headers,
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    }
    const { status, headers: said, text } = await exchange(agent, { port, method, path, headers })
    return {
      status: status === 201 ? 200 : status,
      receipt: String(said['x-receipt-id'] ?? ''),
      credits: Number(said['x-credits-charged'] ?? 0),
      text,
      ...(status > 201 && { code: text.slice(0, 200) }),
    }
  }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: ask.tool,
      arguments: ask.arguments,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': PROTOCOL,
        'io.modelcontextprotocol/clientInfo': { name: 'proof', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
        ...(idempotencyKey && { 'finmeter/idempotency-key': idempotencyKey }),
      },
    },
  })
  const { status, text } = await exchange(agent, {
    port,
    method: 'POST',
    path: '/mcp',
    headers: {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': 'tools/call',
      'mcp-name': ask.tool,
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
  })
  if (status !== 200) return { status, receipt: '', credits: 0, text, code: text.slice(0, 200) }
  const { result, error } = JSON.parse(text) as {
    result?: { _meta: Record<string, unknown> }
    error?: { message: string }
  }
  if (!result) return { status: 0, receipt: '', credits: 0, text, code: error?.message ?? text.slice(0, 200) }
  const code = result._meta['finmeter/error'] as string | undefined
  return {
    status: code === undefined ? 200 : (statusOf[code] ?? 0),
    receipt: String(result._meta['finmeter/receipt-id'] ?? ''),
    credits: Number(result._meta['finmeter/credits-charged'] ?? 0),
    text: '',
    ...(code !== undefined && { code }),
  }
}

export interface Exchange {
  port: number
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** One request; rejects when no whole answer arrives. */
export function exchange(
  agent: Agent,
  { port, body, ...rest }: Exchange,
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((done, failed) => {
    const sent = request({ agent, host: '127.0.0.1', port, timeout: 30_000, ...rest }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.once('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      answer.once('error', failed)
      answer.once('aborted', () => failed(new Error('aborted')))
    })
    sent.once('error', failed)
    sent.once('timeout', () => sent.destroy(new Error('timed out')))
    sent.end(body)
  })
}
