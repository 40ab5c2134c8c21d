import type { IncomingHttpHeaders } from 'node:http'
import type { McpTool } from '../tools/register-tool.ts'
import { JSON_HEADERS, type McpReply, type McpRequest } from './message.ts'

/** JSON-RPC code of 2026-07-28 for headers that disagree with the body. */
const HEADER_MISMATCH = -32020
const ENCODED = /^=\?base64\?(.*)\?=$/
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/
type Fields = Record<string, unknown> | null | undefined

/**
 * Refuses calls of 2026-07-28 whose `Mcp-Param-*` headers are missing or differ from the arguments that a tool's schema
 * marks with `x-mcp-header` (SEP-2243; only inputs at the top of the schema). Proxies may trust these headers, so a
 * difference must not reach the tool. Returns null when the call may continue.
 */
export function createMirrorCheck(
  tools: readonly McpTool[],
): (request: McpRequest, message: unknown) => McpReply | null {
  const mirrored = new Map(
    tools.map((tool) => [tool.name, mirroredInputs(tool)] as const).filter(([, all]) => all.length),
  )
  return ({ headers }, message) => {
    if (mirrored.size === 0 || headers['mcp-protocol-version'] !== '2026-07-28') return null
    const { method, params, id } = (message ?? {}) as { method?: unknown; params?: Fields; id?: unknown }
    const inputs = method === 'tools/call' ? mirrored.get(params?.name as string) : undefined
    const wrong = inputs && mismatch(inputs, params?.arguments as Fields, headers)
    if (!wrong) return null
    const error = { code: HEADER_MISMATCH, message: wrong }
    return { status: 400, headers: JSON_HEADERS, body: JSON.stringify({ jsonrpc: '2.0', error, id: id ?? null }) }
  }
}

interface Mirrored {
  input: string
  header: string
}

function mirroredInputs({ inputSchema }: McpTool): Mirrored[] {
  const properties = (inputSchema.properties ?? {}) as Record<string, Fields>
  return Object.entries(properties).flatMap(([input, schema]) => {
    const name = schema?.['x-mcp-header']
    return typeof name === 'string' ? [{ input, header: `Mcp-Param-${name}` }] : []
  })
}

function mismatch(inputs: Mirrored[], args: Fields, headers: IncomingHttpHeaders): string | undefined {
  for (const { input, header } of inputs) {
    const value = args?.[input]
    if (value === undefined || value === null) continue
    const sent = headers[header.toLowerCase()]
    if (typeof sent !== 'string') return `The argument ${input} must also be sent as the header ${header}.`
    const decoded = decode(sent)
    if (decoded === undefined) return `The header ${header} is not valid Base64 between =?base64? and ?=.`
    if (typeof value === 'number' ? Number(decoded) !== value : decoded !== String(value))
      return `The header ${header} and the argument ${input} have different values.`
  }
}

/** Values that are no plain ASCII text arrive as `=?base64?...?=`. */
function decode(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1]
  if (encoded === undefined) return value
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}
