import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/**
 * One operation of the product API. Registration, validation, OpenAPI and the client's types are made from it.
 * `auth: 'session'` needs `Authorization: Bearer <access token>`; such a route can also answer `unauthorized`
 * and, for an unknown `X-Workspace-Id`, `not_found`, without listing them in `errors`.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** OpenAPI form: `/api/keys/{id}`. */
  path: `/${string}`
  auth: 'session' | 'public'
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Status of success. */
  status: 200 | 201
  /** What stands in the envelope's `data`. Fields that it does not name never leave the server. */
  data: z.ZodType
  /** Errors that this operation can answer besides those that every route can. */
  errors: readonly ErrorCode[]
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler receives: every part parsed. */
export interface RouteInput<R extends Route> {
  params: Parsed<R['params']>
  query: Parsed<R['query']>
  body: Parsed<R['body']>
}

/** Keeps the exact types of a route while it is written. */
export const route = <const R extends Route>(definition: R): R => definition
