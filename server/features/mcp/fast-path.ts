import { isJsonContentType, isSpecType, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../metering/meter.ts'
import { perShop } from '../shop/serve-shop.ts'
import { type CallResult, callTool, IDEMPOTENCY_META, isLive } from './call-tool.ts'
import { JSON_HEADERS, type McpReply, type McpRequest } from './message.ts'
import { LIST_CACHE, serverInfo } from './server-identity.ts'
import type { ToolSet } from './tool-sets.ts'

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const handshakeVersions = new Set(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < MODERN))

type Fields = Record<string, unknown>

interface Message {
  id: string
  method: string
  params: Fields
  meta: Fields
  modern: boolean
}

export type FastPath = (
  request: McpRequest,
  message: unknown,
  caller: Caller,
  toolSet: ToolSet,
) => Promise<McpReply> | McpReply | null

/**
 * Answers ordinary `tools/call`, `tools/list` and `ping` messages with exactly the bytes that the SDK path would write,
 * at a fraction of its cost. Returns null for anything even slightly unusual: then the SDK decides.
 */
export function createFastPath(deps: Deps): FastPath {
  const stampOf = perShop((shop) => `"${META}serverInfo":${JSON.stringify(serverInfo(deps.config, shop))}`)
  const stamp = () => stampOf(deps.shop.current())
  const listEnd = '},"jsonrpc":"2.0","id":'
  const modernListEnd = () =>
    `,"resultType":"complete","ttlMs":${LIST_CACHE.ttlMs},"cacheScope":"${LIST_CACHE.cacheScope}","_meta":{${stamp()}}${listEnd}`

  const write = (message: Message, { isError, text, meta, headers, content, structured }: CallResult): McpReply => {
    const metaText = message.modern ? `${JSON.stringify(meta).slice(0, -1)},${stamp()}}` : JSON.stringify(meta)
    const structure = isError || structured === undefined ? '' : content ? JSON.stringify(structured) : text
    const outcome = `${structure && `,"structuredContent":${structure}`}${isError ? ',"isError":true' : ''}`
    const blocks = content ? JSON.stringify(content) : `[{"type":"text","text":${JSON.stringify(text)}}]`
    const end = message.modern ? ',"resultType":"complete"' : ''
    const result = `{"_meta":${metaText},"content":${blocks}${outcome}${end}}`
    return reply(`{"result":${result},"jsonrpc":"2.0","id":${message.id}}`, headers)
  }

  return (request, body, caller, toolSet) => {
    const message = readMessage(request, body)
    if (!message) return null
    const { method, params } = message
    if (method === 'ping') return message.modern ? null : reply(`{"result":{},"jsonrpc":"2.0","id":${message.id}}`)
    if (method === 'tools/list')
      return reply(`{"result":{"tools":${toolSet.json}${message.modern ? modernListEnd() : listEnd}${message.id}}`)
    const entry = toolSet.get(params.name as string)
    // Progress makes the answer a stream.
    if (!entry || ('progressToken' in message.meta && isLive(entry))) return null
    const metaKey = message.meta[IDEMPOTENCY_META]
    const headerKey = request.headers['idempotency-key']
    const record = request.record.call(entry.tool.name)
    const onGone = message.modern ? request.onGone : undefined
    const { purchase } = request
    return callTool(deps, { caller, entry, args: params.arguments, metaKey, headerKey, record, onGone, purchase }).then(
      (result) => write(message, result),
    )
  }
}

const reply = (body: string, headers: Record<string, string> = {}): McpReply => ({
  status: 200,
  headers: { ...JSON_HEADERS, ...headers },
  body,
})

/** The message, if both paths interpret it alike; else null. */
function readMessage({ headers }: McpRequest, body: unknown): Message | null {
  if (!isObject(body) || body.jsonrpc !== '2.0' || !hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return null
  const { id, method, params = {} } = body
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !isObject(params)) return null
  if (!isJsonContentType(headers['content-type'] ?? null)) return null
  if (
    method === 'tools/call'
      ? !isCall(params)
      : !(method === 'tools/list' || method === 'ping') || !hasOnly(params, ['_meta'])
  )
    return null
  const meta = params._meta ?? {}
  if (!isObject(meta)) return null
  const modern = `${META}protocolVersion` in meta
  if (!(modern ? isModernEnvelope(headers, method as string, params, meta) : isPlain(headers, meta))) return null
  return { id: JSON.stringify(id), method: method as string, params, meta, modern }
}

const isCall = (params: Fields): boolean =>
  typeof params.name === 'string' &&
  (params.arguments === undefined || isObject(params.arguments)) &&
  hasOnly(params, ['name', 'arguments', '_meta'])

function isPlain(headers: McpRequest['headers'], meta: Fields): boolean {
  const version = headers['mcp-protocol-version']
  return (version === undefined || handshakeVersions.has(version as string)) && isOrdinaryMeta(meta, [])
}

/** The three headers must match the body, and the envelope must be one that the SDK accepts. */
function isModernEnvelope(headers: McpRequest['headers'], method: string, params: Fields, meta: Fields): boolean {
  const { [`${META}clientInfo`]: client, [`${META}clientCapabilities`]: capabilities } = meta
  return (
    meta[`${META}protocolVersion`] === MODERN &&
    headers['mcp-protocol-version'] === MODERN &&
    headers['mcp-method'] === method &&
    (method !== 'tools/call' || headers['mcp-name'] === params.name) &&
    isOrdinaryMeta(meta, ['protocolVersion', 'clientInfo', 'clientCapabilities']) &&
    (client === undefined || isSpecType.Implementation(client)) &&
    isSpecType.ClientCapabilities(capabilities)
  )
}

/**
 * Progress tokens (only tools of upstream MCP servers report progress) and other vendors' metadata change nothing; everything else goes to the SDK.
 */
function isOrdinaryMeta(meta: Fields, known: string[]): boolean {
  for (const name in meta) {
    const value = meta[name]
    if (name.startsWith(META)) {
      if (!known.includes(name.slice(META.length))) return false
    } else if (!(typeof value === 'string' || (name === 'progressToken' && Number.isSafeInteger(value)))) return false
  }
  return true
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function hasOnly(object: Fields, names: string[]): boolean {
  for (const name in object) if (!names.includes(name)) return false
  return true
}
