import type { BodyAnswer } from '../../tools/define-tool.ts'
import { UpstreamFailure } from '../request/failure.ts'
import type { SecretSearch } from '../request/secret-search.ts'

export type WholeAnswer = Extract<BodyAnswer, { body: Buffer }>

/** A result of an MCP server as REST sends it. Throws UpstreamFailure when it repeats `secret`. */
export async function jsonAnswer(result: object, secret: SecretSearch): Promise<WholeAnswer> {
  const body = Buffer.from(JSON.stringify(result))
  if (await secret.isInWhole(body)) throw new UpstreamFailure('the result repeats the credential', { ofOneCall: true })
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}
