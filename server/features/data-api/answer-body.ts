import type { Deps } from '../../deps.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { AppError } from '../../http/errors.ts'
import { callsOf, type Verified, verifyPresented } from '../keys/credentials.ts'
import type { BodyAnswer } from '../tools/define-tool.ts'
import { unknownInput } from '../tools/input/input-errors.ts'
import { namesOf } from '../tools/input/input-names.ts'
import { placesOf } from '../tools/input/input-places.ts'
import { readIdempotencyKey } from '../tools/prepare.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { runTool } from '../tools/run-tool.ts'
import { harmlessHeaders, meteringHeaders } from './answer-headers.ts'
import { KEPT_FROM_BYTES, problemOf, type RestHandler, type RestRequest } from './answer-rows.ts'
import { queryReader } from './rest-input.ts'

/**
 * The handler of a tool that answers with a body of its own: status, headers and body pass through as they are, under the headers that
 * are ours.
 */
export function answerBody(deps: Deps, entry: RegisteredTool): RestHandler {
  const readQuery = queryReader(entry)
  const readBody = bodyReader(entry)
  const rest = entry.tool.rest!
  const inputOf = ({ params, query, headers, body }: RestRequest): Record<string, unknown> => ({
    ...readQuery(params, query, headers).input,
    ...readBody(body),
  })

  return async (request) => {
    let caller: Verified | undefined
    let leave: (() => void) | undefined
    const record = request.record.call(entry.tool.name)
    record.verifyingAtMs = performance.now()
    try {
      const key = await (request.payer
        ? request.payer(inputOf(request))
        : verifyPresented(deps, request.presented, rest.method === 'GET' ? 'read' : 'rest'))
      record.verified(key)
      caller = key
      leave = deps.limits.enter('metered', callsOf(key))
      const { headers: sent } = request
      const answer = await runTool(deps, {
        entry,
        input: inputOf(request),
        caller: key,
        record,
        idempotencyKey: key.payment?.idempotencyKey ?? readIdempotencyKey(sent['idempotency-key'], 'Idempotency-Key'),
        trailer: sent['finmeter-trailer'] === 'on',
      })
      const output = answer.output as BodyAnswer
      if (record.result === 'failed')
        deps.refusals.count(key, { code: `upstream answered ${output.status}`, status: 502 }, entry.tool.name)
      const headers = {
        ...harmlessHeaders(output.headers),
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
      const { body, cachedAgeS } = output
      const answered: HttpAnswer = {
        status,
        headers: cachedAgeS === undefined ? headers : { ...headers, age: String(cachedAgeS) },
        body,
      }
      if (output.body.length > KEPT_FROM_BYTES) answered.sent = deps.pressure.keep(key.accountId, output.body.length)
      return answered
    } catch (error) {
      return problemOf(deps, error, { record, caller, route: rest.path })
    } finally {
      leave?.()
    }
  }
}

/** Reads the inputs that a request body has, by their names there. An operation may take none. */
function bodyReader({ tool }: RegisteredTool): (body: unknown) => Record<string, unknown> {
  const { names = {}, bodyInput } = tool.rest!
  const places = placesOf({ tool })
  const internal = new Set(namesOf(tool.input))
  const inputs = new Map([...internal].map((name) => [names[name] ?? name, name]))
  const inBody = [...places].filter(([, place]) => place === 'body').map(([name]) => name)
  return (body) => {
    if (body === undefined || body === null) return {}
    if (bodyInput !== undefined) return { [bodyInput]: body }
    if (typeof body !== 'object' || Array.isArray(body))
      throw new AppError('bad_json', 'The request body must be a JSON object.')
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        // A value in the body must not replace that of another place, by either name.
        if ((places.has(name) || internal.has(name)) && !inBody.includes(name)) throw unknownInput(name, inBody)
        return [inputs.get(name) ?? name, value]
      }),
    )
  }
}
