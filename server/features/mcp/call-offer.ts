import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { IDEMPOTENCY_META } from './call-tool.ts'
import type { Exchange } from './sdk-server.ts'

/**
 * Gets a prompt or reads a resource of an upstream, charged like a call of a tool: price, remaining credits and receipt are in `_meta`.
 * Throws ProtocolError for refusals and failures, with the code of the error catalog in `data`.
 */
export async function callOffer<T extends object>(
  { caller, record, headerKey, headers, call }: Exchange,
  entry: RegisteredTool,
  args: Record<string, string>,
  meta: Record<string, unknown> | undefined,
): Promise<T> {
  const result = await call({
    caller,
    entry,
    args,
    metaKey: meta?.[IDEMPOTENCY_META],
    headerKey,
    record: record.call(entry.tool.name),
  })
  Object.assign(headers, result.headers)
  const { 'finmeter/error': code, 'finmeter/status': _status, ...charge } = result.meta
  if (!result.isError) return { ...(result.structured as T), _meta: charge }
  if (code === 'not_found' && args.uri !== undefined) throw new ResourceNotFoundError(args.uri, result.text)
  const isOurs = code === 'internal_error' || code === 'upstream_failed' || code === 'tool_timeout'
  throw new ProtocolError(isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, result.text, {
    code,
    ...charge,
  })
}
