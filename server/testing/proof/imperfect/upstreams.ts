import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { priceTool, startMcpLoopback } from '../../../features/upstreams/testing/mcp-loopback.ts'
import {
  arrived,
  type Case,
  piecesOf,
  type Stream,
  streams,
  type ToolCase,
  textOf,
  token,
  tools,
  type Whole,
  wholes,
} from './cases.ts'

export interface ImperfectUpstreams {
  apiUrl: string
  mcpUrl: string
  /** What a call with the id of a case is answered from now on. */
  play: (one: Case) => void
  /** The customer has all that arrives before a cut. */
  received: (one: Case) => void
  close: () => void
}

const PAUSE_MS = 5

/** An API and an MCP server on loopback that answer as cases say. */
export async function startImperfectUpstreams(): Promise<ImperfectUpstreams> {
  const cases = new Map<number, Case>()
  const receipts = new Map<number, PromiseWithResolvers<void>>()
  const api = createServer((request, response) => {
    response.on('error', () => {})
    const id = Number(new URL(request.url!, 'http://api').searchParams.get('case'))
    const one = cases.get(id)!
    request.resume().on('end', () => {
      if (one.kind === 'whole') void answerWhole(response, one)
      else if (one.kind === 'stream') void answerStream(response, one, receipts.get(id)!.promise)
    })
  })
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
  const mcp = await startMcpLoopback(
    tools.map((name) => ({
      ...priceTool,
      name,
      inputSchema: { type: 'object', properties: { case: { type: 'integer' } }, required: ['case'] },
    })),
    true,
  )
  mcp.instead = (response, body) => {
    const { method, params } = JSON.parse(body || '{}')
    if (method !== 'tools/call') return false
    return answerInstead(response, cases.get(params.arguments.case) as ToolCase)
  }
  mcp.answer = async (_name, args) => {
    const one = cases.get(Number(args.case)) as ToolCase
    if (one.manner === 'slow') await sleep(PAUSE_MS)
    return resultOf(one)
  }
  return {
    apiUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    mcpUrl: `${mcp.url}/mcp`,
    play(one) {
      cases.set(one.id, one)
      receipts.set(one.id, Promise.withResolvers())
    },
    received: ({ id }) => receipts.get(id)!.resolve(),
    close() {
      api.closeAllConnections()
      api.close()
      mcp.close()
    },
  }
}

async function answerWhole(response: ServerResponse, one: Whole): Promise<void> {
  const { manner, shape } = one
  if (manner === 'late') return
  const encoding = shape === 'utf16' ? 'utf16le' : shape === 'latin1' ? 'latin1' : 'utf8'
  const plain = Buffer.from(textOf(one), encoding)
  const body = manner === 'gzip' || manner === 'gzipCut' ? gzipSync(plain) : plain
  const sent = manner === 'gzipCut' ? body.subarray(0, body.length - 6) : body
  const half = sent.length >> 1
  const status = typeof manner === 'number' ? manner : 200
  const length = sent.length + (manner === 'cut' || manner === 'short' ? 20 : manner === 'long' ? -5 : 0)
  const isChunked = manner === 'chunked' || manner === 'slow' || manner === 'trailer'
  response.shouldKeepAlive = !['short', 'long'].includes(manner as string)
  response.writeHead(status, {
    'content-type': shape === 'text' ? 'text/plain' : 'application/json',
    ...(manner === 'trailer' ? { trailer: 'x-tokens' } : { 'x-tokens': one.count * 7 }),
    ...((manner === 'gzip' || manner === 'gzipCut' || manner === 'gzipLie') && { 'content-encoding': 'gzip' }),
    ...(manner === 'hugeHeaders' && { 'x-huge': 'x'.repeat(64 * 1024) }),
    ...(manner === 302 && { location: '/elsewhere' }),
    ...(!isChunked && status !== 204 && status !== 304 && { 'content-length': length }),
  })
  if (status === 204 || status === 304) return void response.end()
  response.write(sent.subarray(0, half))
  if (manner === 'slow') await sleep(PAUSE_MS)
  if (manner === 'cut') return void response.destroy()
  if (manner === 'trailer') response.addTrailers({ 'x-tokens': String(one.count * 7) })
  response.end(sent.subarray(half))
}

async function answerStream(response: ServerResponse, one: Stream, received: Promise<void>): Promise<void> {
  if (one.end === 500) return void response.writeHead(500).end(token(one))
  response.writeHead(200, { 'content-type': one.form === 'lines' ? 'application/x-ndjson' : 'text/event-stream' })
  for (const piece of piecesOf(one).slice(0, arrived(one))) {
    response.write(piece)
    if (one.end === 'slow') await sleep(1)
  }
  if (one.end === 'left') return
  if (one.end !== 'cut') return void response.end()
  await received
  response.destroy()
}

/** Answers a call of a tool with something that is not MCP; false: MCP answers. */
function answerInstead(response: ServerResponse, { id, manner }: ToolCase): boolean {
  if (manner === 'well' || manner === 'slow') return false
  const json = { 'content-type': 'application/json' }
  const said = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: token({ id }) }] } })
  if (manner === 202) response.writeHead(202).end()
  else if (manner === 500) response.writeHead(500).end(said)
  else if (manner === 'twice') response.writeHead(200, json).end(said + said)
  else if (manner === 'notJson') response.writeHead(200, json).end(token({ id }))
  else if (manner === 'hugeHeaders') response.writeHead(200, { ...json, 'x-huge': 'x'.repeat(64 * 1024) }).end(said)
  else if (manner === 'cut') {
    response.writeHead(200, { ...json, 'content-length': said.length + 20 })
    response.write(said.slice(0, 30))
    response.destroy()
  }
  return true
}

function resultOf(one: ToolCase): object {
  const text = (said: string) => ({ content: [{ type: 'text', text: said }] })
  const items = Array.from({ length: one.shape === 'empty' ? 0 : one.count }, (_, n) => n)
  if (one.shape === 'isError') return { ...text(`${token(one)} no such symbol`), isError: true }
  if (one.shape === 'errorText') return text(`Error fetching ${token(one)}`)
  return { ...text(token(one)), structuredContent: one.shape === 'envelope' ? { data: { items } } : { items } }
}

const answers = { 200: { description: 'ok' } }
const parameters = [{ name: 'case', in: 'query', required: true, schema: { type: 'integer' } }]
const pathOf = (name: string, method: string) => [
  `/${name}`,
  { [method]: { operationId: name, parameters, responses: answers } },
]
/** The description of the API. */
export const apiDocument = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Imperfect', version: '1' },
  paths: Object.fromEntries([...wholes, ...streams].map((name) => pathOf(name, name === 'order' ? 'post' : 'get'))),
})

const report = { unit: { pointer: '/usage' }, per: 10, credits: 1, most: 9 }
const stream = { stream: true, stream_ms: 60_000 }
const common = {
  private_hosts: ['127.0.0.1'],
  limits: { concurrency: 500, breaker: { errors: 1_000_000 } },
}
export const apiManifest = (url: string) => ({
  ...{ ...common, id: 'imperfect', kind: 'openapi', document: 'imperfect.json', base: url },
  defaults: { timeout_ms: 10_000, response_mb: 0.05, mcp: true },
  operations: {
    fixed: { credits: 2 },
    order: { credits: 3 },
    rows: { credits: { rows: '/items', per: 2, credits: 1, most: 9 } },
    given: { credits: { rows: '/items', per: 2, credits: 1, most: 9, missing: 0 } },
    header: { credits: { unit: { header: 'X-Tokens' }, per: 10, credits: 1, most: 9 } },
    units: { credits: report },
    kib: { credits: { kib: 1, most: 9 } },
    streamFixed: { credits: 7, ...stream },
    streamEach: { credits: { rows: '', per: 2, credits: 1, most: 9 }, ...stream },
    streamRows: { credits: { rows: '/items', per: 2, credits: 1, most: 9 }, ...stream },
    streamReport: { credits: report, ...stream },
    streamFloor: { credits: { ...report, floor: 2 }, ...stream },
    streamKib: { credits: { kib: 1, most: 9 }, ...stream },
  },
})
export const mcpManifest = (url: string) => ({
  ...{ ...common, id: 'flawed', kind: 'mcp', base: url },
  defaults: { credits: 2, timeout_ms: 10_000, mcp: true, error_texts: ['Error fetching*'] },
  operations: { toolRows: { credits: { rows: '/structuredContent/items', per: 2, credits: 1, most: 9 } } },
})
