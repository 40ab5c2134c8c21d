/** The calls that the bench makes, as text on the wire. */

const SYMBOL = 'AAPL'
export const TOOL = 'get_bars'
const PROTOCOL = '2026-07-28'
const FIRST_DAY = Date.UTC(2000, 0, 3)
const DAY_MS = 86_400_000
const MONTHS = 200

export interface Month {
  from: string
  to: string
}

/** Different months of one symbol's daily bars, each about 20 rows and 1 credit: no two neighbours ask for the same. */
export const months: Month[] = Array.from({ length: MONTHS }, (_, i) => {
  const day = (offset: number) => new Date(FIRST_DAY + (i * 28 + offset) * DAY_MS).toISOString().slice(0, 10)
  return { from: day(0), to: day(29) }
})

export const restPath = ({ from, to }: Month): string => `/v1/bars/${SYMBOL}?from=${from}&to=${to}`

export const toolArguments = (month: Month): Record<string, unknown> => ({ symbol: SYMBOL, ...month })

/** Headers of a modern MCP client's tools/call. */
export const mcpHeaders: Record<string, string> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': PROTOCOL,
  'mcp-method': 'tools/call',
  'mcp-name': TOOL,
}

/** Body of a tools/call under protocol 2026-07-28. */
export const mcpBody = (id: number, month: Month): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: TOOL,
      arguments: toolArguments(month),
      _meta: {
        'io.modelcontextprotocol/protocolVersion': PROTOCOL,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })

/** One request for each key, or more if there are fewer keys than months; keys and months move at different steps. */
export function restRequests(keys: string[]): string[] {
  return mixed(keys).map(
    ({ key, month }) => `GET ${restPath(month)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  )
}

/** As `restRequests`, with a JSON-RPC id of its own for each. */
export function mcpRequests(keys: string[]): string[] {
  const headers = Object.entries(mcpHeaders)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return mixed(keys).map(({ key, month }, i) => {
    const body = mcpBody(i + 1, month)
    return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  })
}

/** A request made above, in parts. */
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

const REQUESTS = 4_000

const mixed = (keys: string[]): { key: string; month: Month }[] =>
  Array.from({ length: REQUESTS }, (_, i) => ({
    key: keys[i % keys.length]!,
    month: months[(i * 7 + Math.floor(i / keys.length)) % MONTHS]!,
  }))
