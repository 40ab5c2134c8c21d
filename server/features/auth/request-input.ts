import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError } from '../../http/errors.ts'
import { parseJson } from '../../http/json-parser.ts'
import { AuthError } from './errors.ts'
import { nameWithAddress, sizeFault } from './users/metadata.ts'

/** Bodies stay text until a handler asks: clients send a JSON content type with no body, and callbacks post forms. */
export function registerTextBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

/** An optional field; clients send null for an absent value. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

const notKept = (message: string, path: string[] = []) =>
  ({ code: 'custom', message, path, params: { status: 422 } }) as const

/** Metadata of a user: any JSON object within the size limit. Otherwise 422. */
export const metadata = z.record(z.string(), z.json()).superRefine((data, { addIssue }) => {
  const fault = sizeFault(data)
  if (fault) addIssue(notKept(fault))
})

/** Metadata that users set themselves; their names may not contain addresses. */
export const ownMetadata = metadata.superRefine((data, { addIssue }) => {
  const name = nameWithAddress(data)
  if (name) addIssue(notKept('may not contain a web address, an email address or anything like one', [name]))
})

/** The JSON body as `schema` sees it. Throws bad_json for a missing, malformed or mistyped body. */
export function jsonBody<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  const text = typeof request.body === 'string' ? request.body : ''
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    if (error instanceof AppError) throw badJson(error.message)
    throw badJson(text.trim() === '' ? 'the body is empty' : 'it is malformed')
  }
  if (NUL_CHARACTER.test(text)) throw badJson('it contains a NUL character')
  const parsed = parse(schema, value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue?.code === 'custom' && issue.params?.status === 422)
    throw new AuthError(422, 'validation_failed', `${issue.path.join('.')} ${issue.message}`)
  throw badJson([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
}

function parse<S extends z.ZodType>(schema: S, value: unknown) {
  try {
    return schema.safeParse(value)
  } catch (error) {
    // Thousands of nested brackets overflow the stack.
    if (error instanceof RangeError) throw badJson('it is nested too deeply')
    throw error
  }
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

/** PostgreSQL has no NUL character in text. After an even number of backslashes, this is plain text. */
const NUL_CHARACTER = /(?<!\\)(?:\\\\)*\\u0000/

const badJson = (reason: string): AuthError =>
  new AuthError(400, 'bad_json', `Could not parse request body as JSON: ${reason}`)
