import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AuthError } from './errors.ts'

/** Bodies stay text until a handler asks: clients send a JSON content type with no body, and callbacks post forms. */
export function registerTextBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

/** A field that clients send as null when they have nothing to say. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

/** What a client keeps with a person: any JSON object. */
export const metadata = z.record(z.string(), z.json())

/** The JSON body as `schema` sees it. Throws bad_json for a missing, malformed or mistyped body. */
export function jsonBody<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  const text = typeof request.body === 'string' ? request.body : ''
  let value: unknown
  try {
    value = JSON.parse(text, refuseUnstorable)
  } catch (error) {
    throw badJson(
      error instanceof UnstorableText ? error.message : text.trim() === '' ? 'the body is empty' : 'it is malformed',
    )
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw badJson([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
}

/** The form body of a provider's POST, or no parameters. */
export function formBody(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(typeof request.body === 'string' ? request.body : '')
}

/** The query string; of a repeated parameter, `get` gives the first. */
export function query(request: FastifyRequest): URLSearchParams {
  const mark = request.url.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1))
}

export const isUuid = (text: string | null | undefined): text is string => z.uuid().safeParse(text).success

class UnstorableText extends Error {}

/** PostgreSQL has no NUL character in text, and a key that reaches an object's prototype has no business here. */
function refuseUnstorable(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined
  if (key.includes('\0') || (typeof value === 'string' && value.includes('\0')))
    throw new UnstorableText('it contains a NUL character')
  return value
}

const badJson = (reason: string): AuthError =>
  new AuthError(400, 'bad_json', `Could not parse request body as JSON: ${reason}`)
