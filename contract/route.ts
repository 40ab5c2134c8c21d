import type { z } from 'zod'
import type { Deprecation } from './deprecation.ts'
import type { ErrorCode } from './errors.ts'
import type { OAuthScope } from './oauth-scopes.ts'

/**
 * One operation of the product API. Registration, validation, OpenAPI and the client's types are derived from it.
 * `auth: 'session'` needs `Authorization: Bearer <access token>`; such a route can also answer `unauthorized` and, for
 * an unknown `X-Workspace-Id`, `not_found`, without listing them in `errors`.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** OpenAPI form: `/api/keys/{id}`. */
  path: `/${string}`
  auth: 'session' | 'public'
  summary: string
  /** Programs with an OAuth token of this scope may call it, too. */
  scope?: OAuthScope
  /** It will be retired: answers say so in headers. */
  deprecated?: Deprecation
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Status of success. */
  status: 200 | 201
  /** The envelope's `data`. Fields that are not in it never leave the server. */
  data: z.ZodType
  /** Errors of this operation beyond those of every route. */
  errors: readonly ErrorCode[]
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler receives: every part parsed. */
export interface RouteInput<R extends Route> {
  params: Parsed<R['params']>
  query: Parsed<R['query']>
  body: Parsed<R['body']>
}

type Part<R extends Route, P extends 'params' | 'query' | 'body'> = R[P] extends z.ZodType
  ? Partial<z.input<R[P]>> extends z.input<R[P]>
    ? { [K in P]?: z.input<R[P]> }
    : { [K in P]: z.input<R[P]> }
  : { [K in P]?: never }

/** What a client sends: every part before it is parsed. Parts without required fields may be left out. */
export type RouteRequest<R extends Route> = Part<R, 'params'> & Part<R, 'query'> & Part<R, 'body'>

/** What a client gets in the envelope's `data`. */
export type RouteData<R extends Route> = z.output<R['data']>

/** Keeps the exact types of a route while it is written. */
export const route = <const R extends Route>(definition: R): R => definition
