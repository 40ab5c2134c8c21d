import { request } from 'node:http'
import { days, mcpBody, mcpHeaders, parseRequest, TOOL, toolArguments } from './requests.ts'
import type { McpPeerSetup, RecordedAnswer, RecordedToolCall } from './wire.ts'

/** Node adds these headers itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding']

export interface Reply {
  status: number
  /** Lowercase names and values, alternating. */
  headers: string[]
  body: string
}

/** Finmeter's answer to the REST request for each day; each must have cost 1 credit. */
export async function recordRest(
  port: number,
  key: string,
  pathOf: (day: string) => string,
): Promise<RecordedAnswer[]> {
  const recorded: RecordedAnswer[] = []
  for (const day of days) {
    const path = pathOf(day)
    const { status, headers, body } = await send(port, { method: 'GET', path, headers: bearer(key) })
    const charged = headers[headers.indexOf('x-credits-charged') + 1]
    if (status !== 200 || charged !== '1')
      throw new Error(`GET ${path} answered ${status}, ${charged} credits: ${body}`)
    recorded.push({ path, headers, body })
  }
  return recorded
}

/** Finmeter's answer to the MCP call for each day, under id 0; each must have cost 1 credit. */
export async function recordMcp(port: number, key: string): Promise<RecordedToolCall[]> {
  const recorded: RecordedToolCall[] = []
  for (const day of days) {
    const sent = { method: 'POST', path: '/mcp', headers: { ...mcpHeaders, ...bearer(key) }, body: mcpBody(0, day) }
    const { status, headers, body } = await send(port, sent)
    const meta =
      status === 200 ? (JSON.parse(body) as { result?: { _meta?: Record<string, unknown> } }).result?._meta : undefined
    if (meta?.['finmeter/credits-charged'] !== 1) throw new Error(`POST /mcp answered ${status}: ${body}`)
    recorded.push({ arguments: toolArguments(day), headers, body })
  }
  return recorded
}

/** The tool that the bench calls, as listed by `tools/list`, and, if `count` tools are requested, the others. */
export async function readTools(
  port: number,
  key: string,
  count?: number,
): Promise<Pick<McpPeerSetup, 'tool' | 'others'>> {
  const sent = {
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(key) },
  }
  const { body } = await send(port, { ...sent, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })
  const { tools } = (JSON.parse(body) as { result: { tools: McpPeerSetup['tool'][] } }).result
  const tool = tools.find(({ name }) => name === TOOL)
  if (!tool) throw new Error(`Finmeter lists no tool ${TOOL}.`)
  if (count === undefined) return { tool, others: [] }
  if (tools.length !== count) throw new Error(`Finmeter lists ${tools.length} tools, not ${count}.`)
  return { tool, others: tools.filter((one) => one !== tool) }
}

/** Sends a single request of a generator. */
export const answerTo = (port: number, text: string): Promise<Reply> => send(port, parseRequest(text))

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

function send(port: number, { body = '', ...options }: Sent): Promise<Reply> {
  return new Promise((done, failed) => {
    const sent = request({ host: '127.0.0.1', port, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, headers: kept(response.rawHeaders), body: text }),
      )
    })
    sent.once('error', failed)
    sent.end(body)
  })
}

function kept(raw: string[]): string[] {
  const headers: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (!OWN_HEADERS.includes(name)) headers.push(name, raw[i + 1]!)
  }
  return headers
}
