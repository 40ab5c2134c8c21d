import { ProtocolError } from '@modelcontextprotocol/client'
import type { Operation } from '../document/operation.ts'
import { UpstreamFailure } from '../request/failure.ts'
import type { SecretSearch } from '../request/secret-search.ts'
import { refusal } from './call-tool.ts'
import type { McpCall } from './fetch-upstream.ts'
import { jsonAnswer, type WholeAnswer } from './json-answer.ts'
import { type ResourceUris, withPublicUris } from './resource-uris.ts'
import { requestOptions, type Session, within } from './session.ts'

/** Gets a prompt with its messages. Throws as `callTool` does. */
export async function getPrompt(
  { client }: Session,
  { prompt }: Operation,
  given: Record<string, unknown>,
  call: McpCall,
  { secret, uris }: { secret: SecretSearch; uris: ResourceUris },
): Promise<WholeAnswer> {
  const params = { name: prompt!.name, arguments: given as Record<string, string> }
  const { description, messages } = await within(call, () => client.getPrompt(params, requestOptions(call))).catch(
    (error: unknown) => {
      throw ofOneCall(refusal(error, secret), error)
    },
  )
  const shown = messages.map((message) => ({ ...message, content: withPublicUris(message.content, uris) }))
  return jsonAnswer({ ...(description !== undefined && { description }), messages: shown }, secret)
}

/** The server answered, if with an error, which a customer can bring about: it does not count for the breaker. */
export const ofOneCall = (made: Error, cause: unknown): Error =>
  made instanceof UpstreamFailure && cause instanceof ProtocolError
    ? new UpstreamFailure(made.message, { ofOneCall: true })
    : made
