import type { Received, Sent } from '#contract/operator/route.ts'
import type { operatorRoutes } from '#contract/operator/routes.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'

type Routes = (typeof operatorRoutes)[keyof typeof operatorRoutes]
type ByLine = {
  [R in Routes as `${R['method']} ${R['path'] extends `/operator/api${infer P}` ? P : never}`]: R
}
/** Method and path of an operation, such as `GET /session`. */
export type Line = keyof ByLine
type PartOf<L extends Line, Part extends string> = ByLine[L] extends Record<Part, infer S> ? Sent<S> : undefined
export type Body<L extends Line> = PartOf<L, 'body'>
export type Data<L extends Line> = Received<ByLine[L]['data']>

export interface Asked<L extends Line> {
  params?: PartOf<L, 'params'>
  query?: PartOf<L, 'query'>
}
interface Request<L extends Line> extends Asked<L> {
  body?: Body<L>
  signal?: AbortSignal
}

const timeoutMs = 30_000

/** Calls an operation of the console with the session's cookie, and the token of the session for a change. Throws `ApiError`. */
export async function call<L extends Line>(
  line: L,
  { params, query, body, signal }: Request<L> = {},
): Promise<Data<L>> {
  const [method, template] = line.split(' ') as [string, string]
  const given = (params ?? {}) as Record<string, string | number>
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])))
  const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(asked as [string, string][]).toString()
  const headers: Record<string, string> = {}
  if (method !== 'GET') headers['x-csrf-token'] = (await queryClient.ensureQueryData(sessionQuery)).csrf_token
  if (body !== undefined) headers['content-type'] = 'application/json'
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(`/operator/api${path}${search && `?${search}`}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    throw new ApiError('The server cannot be reached. Check your connection and try again.', {
      code: 'network',
      status: 0,
    })
  })
  const answer = (await response.json().catch(() => ({}))) as { data?: Data<L>; error?: string; code?: string }
  if (response.ok) return answer.data as Data<L>
  throw new ApiError(answer.error ?? `The server answered ${response.status}.`, {
    code: answer.code ?? 'unknown',
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}

/** The session of this browser. A change of its role shows on the next request. */
export const sessionQuery = {
  queryKey: ['operator', 'session'] as const,
  queryFn: () => call('GET /session'),
  staleTime: 60_000,
}
