import ky, { HTTPError, TimeoutError } from 'ky'
import { accessToken, recheckSession } from '../auth/session.ts'
import { selectedWorkspace } from '../workspace.ts'
import { ApiError } from './api-error.ts'
import { fetchEarly } from './early-reads.ts'
import { type Answer, type Endpoint, type Input, requestLine } from './endpoints.ts'
import { queryClient } from './query-client.ts'

const notSignedIn = 'User is not authenticated. Please log in.'

const timeoutMs = 10_000

const http = ky.create({
  timeout: timeoutMs,
  retry: {
    limit: 2,
    methods: ['get'],
    statusCodes: [408, 413, 429, 500, 502, 503, 504],
    maxRetryAfter: 5000,
    // The library does not retry a 413 without Retry-After, although it is listed.
    shouldRetry: ({ error }) => (error instanceof HTTPError && error.response.status === 413 ? true : undefined),
  },
  credentials: 'omit',
  fetch: fetchEarly,
})

interface Transport {
  signal?: AbortSignal
  /** Request timeout; 10 s by default. */
  timeout?: number
  /** own: for the user, regardless of the selected workspace. */
  workspace?: 'selected' | 'own'
}

/** The possible body of a failed call; a proxy in between can return anything. */
type Failure = { error?: unknown; code?: unknown }
type Envelope = { success: true; data: unknown } | ({ success: false } & Failure)

/** The input may be omitted for operations without required input. */
type Request<N extends Endpoint> = Input<N> & Transport
type Arguments<N extends Endpoint> =
  Record<string, never> extends Input<N> ? [request?: Request<N>] : [request: Request<N>]

/** A request for the transport, independent of the operation. */
type Untyped = Transport & { params?: Record<string, string>; query?: object; body?: unknown }

/**
 * Calls a product API operation with the session's bearer token and returns the envelope's `data`. Throws `ApiError`:
 * without a session before sending anything, otherwise with the server's text, code, status and request ID.
 */
export async function api<N extends Endpoint>(
  name: N,
  ...[request = {} as Request<N>]: Arguments<N>
): Promise<Answer<N>> {
  const token = await accessToken()
  if (!token) throw new ApiError(notSignedIn, { code: 'unauthorized', status: 401 })
  const selected = request.workspace === 'own' ? null : selectedWorkspace()
  return send(name, request as Untyped, {
    authorization: `Bearer ${token}`,
    ...(selected && { 'x-workspace-id': selected }),
  })
}

/** Calls an operation without a session. Throws `ApiError` as `api` does. */
export const publicApi = <N extends Endpoint>(name: N, request: Request<N>): Promise<Answer<N>> =>
  send(name, request as Untyped, {})

async function send<N extends Endpoint>(
  name: N,
  { params, query, body, signal, timeout = timeoutMs }: Untyped,
  headers: Record<string, string>,
): Promise<Answer<N>> {
  const [method, path] = requestLine(name, params)
  try {
    const response = await http(path, {
      method,
      headers,
      timeout,
      ...(query && { searchParams: { ...query } }),
      ...(body !== undefined && { json: body }),
      ...(signal && { signal }),
    })
    const envelope = (await response.json()) as Envelope
    if (envelope.success) return envelope.data as Answer<N>
    throw failed(envelope, response)
  } catch (error) {
    if (error instanceof HTTPError) throw await httpError(error)
    if (error instanceof TimeoutError)
      throw new ApiError(`The server did not answer within ${timeout / 1000} seconds.`, {
        code: 'timeout',
        status: 0,
      })
    if (error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')) throw error
    throw new ApiError('The server cannot be reached. Check your connection and try again.', {
      code: 'network',
      status: 0,
    })
  }
}

async function httpError(error: HTTPError): Promise<ApiError> {
  if (error.response.status === 401 && error.request.headers.has('authorization')) recheckSession()
  // The membership may have ended: refetch the workspaces, after which the sidebar falls back to the user's own.
  if (error.response.status === 404 && error.request.headers.has('x-workspace-id'))
    void queryClient.invalidateQueries({ queryKey: ['workspaces'] })
  return failed(error.data as Failure | undefined, error.response)
}

function failed(body: Failure | undefined, response: Response): ApiError {
  const message = typeof body?.error === 'string' ? body.error : `The server answered ${response.status}.`
  const code = typeof body?.code === 'string' ? body.code : 'unknown'
  return new ApiError(message, {
    code,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}
