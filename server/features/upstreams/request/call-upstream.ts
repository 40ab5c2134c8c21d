import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Operation } from '../document/operation.ts'
import { buildRequest, type UpstreamRequest } from './build-request.ts'
import type { Credential } from './credential.ts'
import { UpstreamFailure } from './failure.ts'
import { collect, decoded, GuardedStream, passedHeaders, refuseFailed, repeats } from './receive.ts'
import { type CallerNames, signatureHeaders } from './sign-request.ts'
import type { RawAnswer, UpstreamClient } from './upstream-client.ts'

/** What is the same for every call of one operation. */
export interface Route {
  operation: Operation
  base: URL
  client: UpstreamClient
  credential: Credential
  signingKey: Buffer
  requestBytes: number
  responseBytes: number
  responseHeaders: readonly string[]
  stream: boolean
  /** Sees each JSON answer that was good, after the call. */
  onJson: (body: unknown, bytes: number) => void
}

export interface CallContext {
  names: CallerNames
  traceparent: string | null
  idempotencyKey: string | undefined
  signal: AbortSignal
}

export type UpstreamAnswer = { status: number; headers: Record<string, string> } & (
  | { body: Buffer }
  | { stream: Readable }
)

const STREAM_BYTES = 1024 ** 3

/**
 * One call of an operation. Throws AppError: invalid_parameter or payload_too_large before anything is sent, upstream_failed for no
 * answer, one of 5xx, 3xx, 401, 407 or 429, or a broken body, and overloaded. Everything else that the upstream says is passed on.
 */
export function callUpstream(
  route: Route,
  input: Record<string, unknown>,
  context: CallContext,
): Promise<UpstreamAnswer> {
  const { operation, base, client, credential, signingKey } = route
  const built = buildRequest(operation, base.pathname.replace(/\/+$/, ''), input, route.requestBytes)
  const key = operation.method === 'GET' ? undefined : context.idempotencyKey
  const request = credential.addTo(key === undefined ? built : withKey(built, context.names.account, key))
  const headers = {
    ...request.headers,
    ...signatureHeaders(request, base.host, context.names, signingKey, Math.floor(Date.now() / 1_000)),
    'accept-encoding': 'gzip, br',
    'user-agent': 'Finmeter',
    ...(context.traceparent !== null && { traceparent: context.traceparent }),
  }
  return client.ask(context.names.account, { ...request, headers }, context.signal, (answer) => read(route, answer))
}

/** All customers are one client to the upstream, so each account's keys are kept apart from those of others. */
const withKey = (request: UpstreamRequest, account: string, key: string): UpstreamRequest => ({
  ...request,
  headers: {
    ...request.headers,
    'idempotency-key': createHash('sha256').update(`${account} ${key}`).digest('hex'),
  },
})

async function read(route: Route, answer: RawAnswer): Promise<UpstreamAnswer> {
  const { status } = answer
  refuseFailed(answer)
  const headers = passedHeaders(answer.headers, route.responseHeaders)
  const { texts } = route.credential
  if (repeats(texts, Buffer.alloc(0), headers))
    throw new UpstreamFailure('a header repeats the credential', { ofOneCall: true })
  const body = decoded(answer.body, answer.headers['content-encoding'] as string | undefined)
  if (route.stream && status < 300) {
    const guarded = new GuardedStream(texts, STREAM_BYTES)
    body.on('error', (cause) => guarded.destroy(new UpstreamFailure('the stream broke off', { cause })))
    // It may break off before anybody reads it.
    guarded.on('error', () => {}).on('close', () => body.destroy())
    return { status, headers, stream: body.pipe(guarded) }
  }
  if (Number(answer.headers['content-length']) > route.responseBytes)
    throw new UpstreamFailure(`the body has more than ${route.responseBytes} bytes`, { ofOneCall: true })
  const bytes = await collect(body, route.responseBytes)
  if (repeats(texts, bytes, {})) throw new UpstreamFailure('the body repeats the credential', { ofOneCall: true })
  if (bytes.length > 0 && /[/+]json\b/.test(headers['content-type'] ?? '') && status < 300)
    route.onJson(parseJson(bytes), bytes.length)
  return { status, headers, body: bytes }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new UpstreamFailure('the body is not the JSON that its type says')
  }
}
