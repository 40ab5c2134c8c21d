import type { BodyAnswer } from '../../tools/define-tool.ts'
import { UpstreamFailure } from '../request/failure.ts'
import { repeats } from '../request/receive.ts'

export type WholeAnswer = Extract<BodyAnswer, { body: Buffer }>

/** A result of an MCP server as REST sends it. Throws UpstreamFailure when it repeats one of `texts`. */
export function jsonAnswer(result: object, texts: readonly string[]): WholeAnswer {
  const body = Buffer.from(JSON.stringify(result))
  if (repeats(asWritten(texts), body, {})) throw new UpstreamFailure('the result repeats the credential')
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** As they look in JSON. */
const asWritten = (texts: readonly string[]): string[] => texts.map((text) => JSON.stringify(text).slice(1, -1))
