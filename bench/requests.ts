/** The calls that the bench makes, as text on the wire. Each costs 1 credit. */

export const TOOL = 'get_quote'
const SYMBOL = 'AAPL'
const PROTOCOL = '2026-07-28'
const FIRST_DAY = Date.UTC(2000, 0, 3)
const DAY_MS = 86_400_000
const DAYS = 200
const DAYS_APART = 28
const REQUESTS = 4_000

/** Two consecutive calls never ask for the same day. */
export const days: string[] = Array.from({ length: DAYS }, (_, i) => dayAfter(i * DAYS_APART))
const yearAfter: ReadonlyMap<string, string> = new Map(days.map((day, i) => [day, dayAfter(i * DAYS_APART + 364)]))

function dayAfter(offset: number): string {
  return new Date(FIRST_DAY + offset * DAY_MS).toISOString().slice(0, 10)
}

/** The cheapest paid call: one symbol's last price on a day. */
export const quotePath = (day: string): string => `/v1/quotes?symbols=${SYMBOL}&on=${day}`
/** A year of daily bars. */
export const barsPath = (day: string): string => `/v1/bars/${SYMBOL}?from=${day}&to=${yearAfter.get(day)}`
export const toolArguments = (day: string): Record<string, unknown> => ({ symbols: [SYMBOL], on: day })

/** Headers of a modern MCP client's tools/call. */
export const mcpHeaders: Record<string, string> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': PROTOCOL,
  'mcp-method': 'tools/call',
  'mcp-name': TOOL,
}

/** Body of a tools/call under protocol 2026-07-28. */
export const mcpBody = (id: number, day: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: TOOL,
      arguments: toolArguments(day),
      _meta: {
        'io.modelcontextprotocol/protocolVersion': PROTOCOL,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })

/** GET requests for all keys and days; `path` makes the path of a day. */
export function restRequests(keys: string[], path: (day: string) => string): string[] {
  return mixed(keys).map(
    ({ key, day }) => `GET ${path(day)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  )
}

/** MCP calls for all keys and days, each with its own JSON-RPC id. */
export function mcpRequests(keys: string[]): string[] {
  const headers = Object.entries(mcpHeaders)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return mixed(keys).map(({ key, day }, i) => {
    const body = mcpBody(i + 1, day)
    return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  })
}

const mixed = (keys: string[]): { key: string; day: string }[] =>
  Array.from({ length: Math.max(REQUESTS, keys.length) }, (_, i) => ({
    key: keys[i % keys.length]!,
    day: days[(i * 7 + Math.floor(i / keys.length)) % DAYS]!,
  }))

/** One of the requests above, in parts. */
export function parseRequest(text: string): {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
} {
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const [method, path = '/'] = first.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const body = text.slice(end + 4)
  return { method: method === 'POST' ? 'POST' : 'GET', path, headers, ...(body && { body }) }
}
