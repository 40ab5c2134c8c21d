import type { Deps } from '../../deps.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { AppError } from '../../http/errors.ts'
import type { Verified } from '../keys/credentials.ts'
import { verifyKeyOrToken } from '../oauth/verify-caller.ts'
import { callsOf } from '../tools/calls-of.ts'
import type { BodyAnswer } from '../tools/define-tool.ts'
import { readIdempotencyKey } from '../tools/idempotency-key.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { runTool } from '../tools/run-tool.ts'
import { meteringHeaders } from './answer-headers.ts'
import { passedHeaders } from './passed-headers.ts'
import { KEPT_FROM_BYTES, problemOf, type RestVerb } from './rest-answer.ts'
import { queryReader } from './rest-input.ts'

/**
 * The handler of a tool that answers with a body of its own: status, headers and body pass through as they are, under the headers that
 * are ours.
 */
export function bodyVerb(deps: Deps, entry: RegisteredTool): RestVerb {
  const readQuery = queryReader(entry)
  const rest = entry.tool.rest!

  return async (request) => {
    let caller: Verified | undefined
    let leave: (() => void) | undefined
    const record = request.record.call(entry.tool.name)
    record.verifyingAtMs = performance.now()
    try {
      const key = await verifyKeyOrToken(deps, request.presented, rest.method === 'GET' ? 'read' : 'rest')
      record.verified(key)
      caller = key
      leave = deps.limits.enter('metered', callsOf(key))
      const { headers: sent } = request
      const answer = await runTool(deps, {
        entry,
        input: {
          ...readQuery(request.params, request.query, sent).input,
          ...inputsOfBody(rest.bodyInput, request.body),
        },
        caller: key,
        record,
        idempotencyKey: readIdempotencyKey(sent['idempotency-key'], 'Idempotency-Key'),
        estimatesValues: true,
        trailer: sent['finmeter-trailer'] === 'on',
      })
      const output = answer.output as BodyAnswer
      const headers = {
        ...passedHeaders(output.headers),
        ...meteringHeaders(answer),
        'cache-control': 'private, no-store',
        'x-request-id': record.requestId,
        // Somebody else's bytes under our address: no page, no script.
        'content-security-policy': "default-src 'none'; sandbox",
      }
      const { status } = output
      if ('stream' in output) {
        output.stream.once('close', leave)
        leave = undefined
        if (request.isGone()) output.stream.destroy()
        return { status, headers: { ...headers, 'x-accel-buffering': 'no' }, body: output.stream }
      }
      const answered: HttpAnswer = { status, headers, body: output.body }
      if (output.body.length > KEPT_FROM_BYTES) answered.sent = deps.pressure.keep(key.accountId, output.body.length)
      return answered
    } catch (error) {
      return problemOf(deps, error, { record, caller, route: rest.path })
    } finally {
      leave?.()
    }
  }
}

/** The inputs that a request body has. An operation may take none. */
function inputsOfBody(whole: string | undefined, body: unknown): Record<string, unknown> {
  if (body === undefined || body === null) return {}
  if (whole !== undefined) return { [whole]: body }
  if (typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>
  throw new AppError('bad_json', 'The request body must be a JSON object.')
}
