import { type Agent, request } from 'node:http'

/** A call of one credit, by either surface. */
export type Ask = { surface: 'rest'; path: string } | { surface: 'mcp'; tool: string; arguments: object }

export const asks: readonly Ask[] = [
  { surface: 'rest', path: '/v1/quotes?symbols=AAPL' },
  { surface: 'rest', path: '/v1/quotes?symbols=MSFT' },
  { surface: 'rest', path: '/v1/bars/AAPL?range=1mo' },
  { surface: 'rest', path: '/v1/bars/GE?range=1mo' },
  { surface: 'mcp', tool: 'get_quote', arguments: { symbols: ['AAPL'] } },
  { surface: 'mcp', tool: 'get_quote', arguments: { symbols: ['GE'] } },
]

/** An answer in REST terms: a refusal over MCP gets the status that it has over REST. */
export interface Reply {
  status: number
  receipt: string
  credits: number
  /** Why, where it was refused. */
  code?: string
}

const statusOf: Record<string, number> = {
  insufficient_credits: 402,
  key_budget_exceeded: 402,
  account_suspended: 403,
  metering_unavailable: 503,
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
    const headers = { 'x-api-key': apiKey, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) }
    const { status, headers: said } = await exchange(agent, { port, method: 'GET', path: ask.path, headers })
    return {
      status,
      receipt: String(said['x-receipt-id'] ?? ''),
      credits: Number(said['x-credits-charged'] ?? 0),
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
  if (status !== 200) return { status, receipt: '', credits: 0, code: text.slice(0, 200) }
  const { result, error } = JSON.parse(text) as {
    result?: { _meta: Record<string, unknown> }
    error?: { message: string }
  }
  if (!result) return { status: 0, receipt: '', credits: 0, code: error?.message ?? text.slice(0, 200) }
  const code = result._meta['finmeter/error'] as string | undefined
  return {
    status: code === undefined ? 200 : (statusOf[code] ?? 0),
    receipt: String(result._meta['finmeter/receipt-id'] ?? ''),
    credits: Number(result._meta['finmeter/credits-charged'] ?? 0),
    ...(code !== undefined && { code }),
  }
}

interface Exchange {
  port: number
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

function exchange(
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
