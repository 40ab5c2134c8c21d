import ky, { HTTPError, TimeoutError } from 'ky'
import { ApiError } from './api-error.ts'
import { fetchEarly } from './early-reads.ts'
import { queryClient } from './query-client.ts'
import { accessToken, recheckSession } from './session.ts'
import { selectedWorkspace } from './workspace.ts'

const notSignedIn = 'User is not authenticated. Please log in.'

const timeoutMs = 10_000

const http = ky.create({
  timeout: timeoutMs,
  retry: {
    limit: 2,
    methods: ['get'],
    statusCodes: [408, 413, 429, 500, 502, 503, 504],
    maxRetryAfter: 5000,
    // The library gives up on a 413 that names no time, although it is listed.
    shouldRetry: ({ error }) => (error instanceof HTTPError && error.response.status === 413 ? true : undefined),
  },
  credentials: 'omit',
  fetch: fetchEarly,
})

interface Request {
  method?: 'get' | 'post' | 'put' | 'delete'
  json?: unknown
  searchParams?: Record<string, string | number | undefined>
  signal?: AbortSignal
  /** How long to wait for the answer; absent: 10 s. */
  timeout?: number
  /** own: asked for the person, whatever workspace is selected. */
  workspace?: 'selected' | 'own'
}

/** What a failed call may have answered; a proxy in between answers anything. */
type Failure = { error?: unknown; code?: unknown }
type Envelope = { success: true; data: unknown } | ({ success: false } & Failure)

/**
 * Calls the product API with the session's bearer and returns the envelope's `data`. Throws `ApiError`: without a
 * session before anything is sent, otherwise with the server's text, code, status and request id.
 */
export async function api<T>(path: string, request: Request = {}): Promise<T> {
  const token = await accessToken()
  if (!token) throw new ApiError(notSignedIn, { code: 'unauthorized', status: 401 })
  const { workspace, ...rest } = request
  const selected = workspace === 'own' ? null : selectedWorkspace()
  return send<T>(path, rest, {
    authorization: `Bearer ${token}`,
    ...(selected && { 'x-workspace-id': selected }),
  })
}

/** Calls a route of the product API that needs no session. Throws `ApiError` as `api` does. */
export const publicApi = <T>(path: string, request: Omit<Request, 'workspace'>): Promise<T> =>
  send<T>(path, request, {})

async function send<T>(
  path: string,
  { method = 'get', ...options }: Omit<Request, 'workspace'>,
  headers: Record<string, string>,
): Promise<T> {
  try {
    const response = await http(path, { method, headers, ...options })
    const envelope = (await response.json()) as Envelope
    if (envelope.success) return envelope.data as T
    throw failed(envelope, response)
  } catch (error) {
    if (error instanceof HTTPError) throw await httpError(error)
    if (error instanceof TimeoutError)
      throw new ApiError(`The server did not answer within ${(options.timeout ?? timeoutMs) / 1000} seconds.`, {
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
  // A membership may have ended: the list of workspaces tells, and the sidebar then falls back to the person's own.
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
