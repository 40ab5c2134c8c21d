import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { AppError } from '../../../http/errors.ts'
import type { Operation } from '../document/operation.ts'
import { shownText } from '../document/shown-text.ts'
import { UpstreamFailure } from '../request/failure.ts'
import type { SecretSearch } from '../request/secret-search.ts'
import type { createSaysError } from './error-texts.ts'
import { Canceled, type McpCall } from './fetch-upstream.ts'
import { jsonAnswer, type WholeAnswer } from './json-answer.ts'
import { type ResourceUris, withPublicUris } from './resource-uris.ts'
import { requestOptions, type Session, within } from './session.ts'

/**
 * Calls a tool as it was approved, whatever its server says of it now. A result with `isError`, or one that `saysError`, has status 422. Throws UpstreamFailure for
 * no usable result, invalid_parameter for inputs that the server refuses, and upstream_failed for a tool that asks its user a question.
 */
export async function callTool(
  { client }: Session,
  { id, input }: Operation,
  given: Record<string, unknown>,
  call: McpCall,
  {
    secret,
    uris,
    saysError,
    progressToken,
  }: {
    secret: SecretSearch
    uris: ResourceUris
    saysError: ReturnType<typeof createSaysError>
    progressToken?: string | undefined
  },
): Promise<WholeAnswer> {
  const { content, structuredContent, ...answered } = await within(call, () =>
    client.callTool(
      { name: id, arguments: given, ...(progressToken !== undefined && { _meta: { progressToken } }) },
      // Only for inputs that travel in headers: without an output schema the SDK checks nothing, as with other upstreams.
      { ...requestOptions(call), toolDefinition: { name: id, inputSchema: { ...input, type: 'object' } } },
    ),
  ).catch((error: unknown) => {
    throw refusal(error, secret)
  })
  if (isPaymentDemand(structuredContent)) throw new UpstreamFailure('it wants to be paid')
  const isError = answered.isError || saysError(content, structuredContent)
  const result = {
    content: content.map((block) => withPublicUris(block, uris)),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError && { isError }),
  }
  return { ...(await jsonAnswer(result, secret)), status: isError ? 422 : 200, mcp: result }
}

/** Terms of x402: an agent that read them in our result would pay the upstream, and still get nothing. */
function isPaymentDemand(structured: unknown): boolean {
  const { x402Version, accepts } = (structured ?? {}) as Record<string, unknown>
  return x402Version !== undefined && Array.isArray(accepts)
}

/** What a customer or the operator's log is told. Texts of the server reach the log never, and the customer only where inputs are wrong. */
export function refusal(error: unknown, secret: SecretSearch): Error {
  if (error instanceof AppError || error instanceof UpstreamFailure || error instanceof Canceled) return error
  if (error instanceof ProtocolError) {
    if (error.code !== ProtocolErrorCode.InvalidParams) return new UpstreamFailure(`it answered error ${error.code}`)
    const told = secret.isIn(error.message) ? '' : shownText(error.message, 300)
    return new AppError('invalid_parameter', `The upstream refused the inputs. ${told}`.trim())
  }
  if (error instanceof SdkHttpError) return new UpstreamFailure(`it answered ${error.status}`)
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return new AppError(
      'upstream_failed',
      'This tool asks its user a question, which cannot be passed on. Nothing was charged.',
    )
  return new UpstreamFailure(`no usable answer: ${(error as Error).name}`)
}
