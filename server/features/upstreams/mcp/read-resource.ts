import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import { AppError } from '../../../http/errors.ts'
import type { SecretSearch } from '../request/secret-search.ts'
import { refusal } from './call-tool.ts'
import type { McpCall } from './fetch-upstream.ts'
import { ofOneCall } from './get-prompt.ts'
import { jsonAnswer, type WholeAnswer } from './json-answer.ts'
import type { ResourceUris } from './resource-uris.ts'
import { requestOptions, type Session, within } from './session.ts'

/** Both say that a server has no such resource: the first in protocols before 2026-07-28. */
const UNKNOWN: readonly number[] = [-32002, ProtocolErrorCode.InvalidParams]

/** Reads a resource. `uri` is the customers'. Throws not_found for one that is not published or that the server does not have. */
export async function readResource(
  { client }: Session,
  uri: string,
  call: McpCall,
  { secret, uris }: { secret: SecretSearch; uris: ResourceUris },
): Promise<WholeAnswer> {
  const own = requireOwn(uri, uris)
  const options = { ...requestOptions(call), cacheMode: 'bypass' } as const
  const { contents } = await within(call, () => client.readResource({ uri: own }, options)).catch((error: unknown) => {
    if (error instanceof ProtocolError && UNKNOWN.includes(error.code)) throw unknownResource(uri)
    throw ofOneCall(refusal(error, secret), error)
  })
  return jsonAnswer({ contents: contents.map((one) => ({ ...one, uri: uris.toPublic(one.uri) })) }, secret)
}

/** Before a session is opened for it. */
export function requireOwn(uri: string, uris: ResourceUris): string {
  const own = uris.toOwn(uri)
  if (own === undefined) throw unknownResource(uri)
  return own
}

const unknownResource = (uri: string): AppError =>
  new AppError('not_found', `There is no resource ${uri.slice(0, 80)}.`, { param: 'uri' })
