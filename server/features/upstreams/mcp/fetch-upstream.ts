import { AsyncLocalStorage } from 'node:async_hooks'
import type { KeyObject } from 'node:crypto'
import { AppError } from '../../../http/errors.ts'
import { type CallerNames, signatureHeaders, withCredential } from '../request/build-request.ts'
import { decoded } from '../request/decode-answer.ts'
import { UpstreamFailure } from '../request/failure.ts'
import { refuseFailed } from '../request/read-answer.ts'
import type { UpstreamClient } from '../request/upstream-client.ts'
import type { CredentialSource } from './credential-source.ts'
import { readMessage } from './read-message.ts'

/** What is the same for every request to one MCP server. */
export interface McpRoute {
  base: URL
  client: Pick<UpstreamClient, 'send'>
  credential: CredentialSource
  signingKey: KeyObject
  requestBytes: number
  responseBytes: number
}

/** Whom the requests of one call are for; a session of several calls sends those of each with its own. */
export interface McpCall {
  names: CallerNames
  traceparent: string | null
  signal: AbortSignal
  /** Why a request of it failed, which the SDK may hide in an error of its own. */
  failure?: Error
  /** Sees what the server sends before its answer. */
  onMessage?: ((message: unknown) => void) | undefined
  /** The id of its last request, by which the server knows it. */
  requestId?: unknown
}

/** Why a call ended that its client took back. */
export class Canceled extends Error {
  override name = 'Canceled'
}

/** Servers of older protocols do not know it, and not all say so. */
const DISCOVER = 'server/discover'

export const currentCall = new AsyncLocalStorage<McpCall>()

/**
 * A `fetch` for the SDK's client that sends to `base` and to no other address, by the upstream's own connections, signed, with its
 * credential, and without redirects. It throws UpstreamFailure for answers that are not for customers, and payload_too_large.
 */
export const fetchUpstream =
  (route: McpRoute): typeof fetch =>
  async (_url, init = {}) => {
    const call = currentCall.getStore()
    // The stream for messages that belong to no request: nobody would read them. The SDK tells of a canceled call outside of it, when it
    // can no longer be said for whom: `Session.cancel` does.
    if (init.method === 'GET' || !call) return new Response(null, { status: 405 })
    try {
      return await exchange(route, call, init)
    } catch (error) {
      call.failure ??= error as Error
      throw error
    }
  }

async function exchange(route: McpRoute, call: McpCall, init: RequestInit): Promise<Response> {
  const { base, client, credential, signingKey, requestBytes, responseBytes } = route
  const body = typeof init.body === 'string' ? init.body : null
  if (body !== null && Buffer.byteLength(body) > requestBytes)
    throw new AppError('payload_too_large', `The request to this API may have at most ${requestBytes} bytes.`)
  const { id, method: asked } = (body === null ? {} : JSON.parse(body)) as { id?: unknown; method?: unknown }
  if (id !== undefined) call.requestId = id
  const method = init.method === 'DELETE' ? 'DELETE' : 'POST'
  const given = Object.fromEntries(new Headers(init.headers))
  const request = withCredential({ method, path: base.pathname, headers: given, body }, await credential.get())
  const headers = {
    ...request.headers,
    ...signatureHeaders(request, base.host, call.names, signingKey, Math.floor(Date.now() / 1_000)),
    'accept-encoding': 'gzip, br',
    'user-agent': 'Finmeter',
    ...(call.traceparent !== null && { traceparent: call.traceparent }),
  }
  const signal = init.signal ? AbortSignal.any([call.signal, init.signal]) : call.signal
  const answer = await client.send({ ...request, headers }, signal)
  answer.body.on('error', () => {})
  try {
    if (answer.status === 401) credential.refused()
    refuseFailed(answer)
    // The SDK would wait for an answer to a request that was merely accepted.
    if (id !== undefined && asked !== undefined && (answer.status === 202 || answer.status === 204)) {
      if (asked === DISCOVER) return new Response(null, { status: 404 })
      throw new UpstreamFailure(`it answered ${answer.status} without a result`)
    }
    const type = one(answer.headers['content-type']) ?? ''
    const session = one(answer.headers['mcp-session-id'])
    const readable = decoded(answer.body, one(answer.headers['content-encoding']))
    const text = await readMessage(readable, type, id, responseBytes, call.onMessage)
    return new Response(answer.status === 204 ? null : text, {
      status: answer.status,
      headers: {
        'content-type': type.startsWith('text/event-stream') ? 'application/json' : type,
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
    })
  } finally {
    answer.body.destroy()
  }
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
