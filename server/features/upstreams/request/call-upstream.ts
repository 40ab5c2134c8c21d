import { createHash, type KeyObject } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Database } from '../../../db/database.ts'
import { unavailable } from '../../../http/unavailable.ts'
import type { Tool, ToolContext } from '../../tools/define-tool.ts'
import type { CachedCall } from '../cache/cached-call.ts'
import type { Operation } from '../document/operation.ts'
import {
  buildRequest,
  type CallerNames,
  signatureHeaders,
  type UpstreamRequest,
  withCredential,
} from './build-request.ts'
import type { Credential } from './credential.ts'
import { collect, decoded, GuardedStream } from './decode-answer.ts'
import { UpstreamFailure } from './failure.ts'
import { type AnswerHead, headersForCustomers, isPlain, refuseFailed } from './read-answer.ts'
import type { RawAnswer, UpstreamClient } from './upstream-client.ts'

/** What is the same for every call of one operation. */
export interface Route {
  operation: Operation
  base: URL
  client: UpstreamClient
  credential: Credential
  signingKey: KeyObject
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

const MOST_NAMES = 50_000

type PublicIds = Pick<CallerNames, 'account' | 'key'>
/** The public ids of an account and its key. Rejects with metering_unavailable. */
export type NamesOf = (caller: Pick<ToolContext['caller'], 'accountId' | 'keyId'>) => Promise<PublicIds> | PublicIds

/** These ids never change, so each pair is read once. */
export function createCallerNames({ pool }: Database): NamesOf {
  const known = new Map<string, PublicIds>()
  const read = async (name: string, accountId: number, keyId: number | null): Promise<PublicIds> => {
    const { rows } = await pool
      .query<{ account: string; key: string | null }>(
        `select a.public_id as account, k.public_id as key from accounts a left join api_keys k on k.id = $2 where a.id = $1`,
        [accountId, keyId],
      )
      .catch(unavailable)
    if (!rows[0]) throw new Error('The account of this call is gone.')
    if (known.size >= MOST_NAMES) known.delete(known.keys().next().value!)
    known.set(name, rows[0])
    return rows[0]
  }
  return ({ accountId, keyId }) => {
    const name = `${accountId} ${keyId}`
    return known.get(name) ?? read(name, accountId, keyId)
  }
}

/** What the tool of an operation does when it is called. With `cached`, the response may come from the cache. */
export function runOperation(route: Route, namesOf: NamesOf, cached: CachedCall | undefined): Tool['run'] {
  return async (input, context) => {
    const { traceparent, idempotencyKey, signal } = context
    const naming = namesOf(context.caller)
    const names = { ...(naming instanceof Promise ? await naming : naming), request: context.requestId }
    const ask = (given: Record<string, unknown>) =>
      callUpstream(route, given, { names, traceparent, idempotencyKey, signal })
    return cached ? cached(context.caller.accountId, input, ask) : ask(input)
  }
}

/**
 * One call of an operation. Throws AppError: invalid_parameter or payload_too_large before anything is sent, upstream_failed for no
 * answer, one of 5xx, 3xx, 401, 402, 407 or 429, or a broken body, and overloaded. Everything else that the upstream says is passed on.
 */
export function callUpstream(
  route: Route,
  input: Record<string, unknown>,
  context: CallContext,
): Promise<UpstreamAnswer> {
  const { operation, base, client, credential, signingKey } = route
  const built = buildRequest(operation, base.pathname.replace(/\/+$/, ''), input, route.requestBytes)
  const key = operation.method === 'GET' ? undefined : context.idempotencyKey
  const request = withCredential(key === undefined ? built : withKey(built, context.names.account, key), credential)
  const headers = {
    ...request.headers,
    ...signatureHeaders(request, base.host, context.names, signingKey, Math.floor(Date.now() / 1_000)),
    'accept-encoding': 'gzip, br',
    'user-agent': 'Finmeter',
    ...(context.traceparent !== null && { traceparent: context.traceparent }),
  }
  const of = { account: context.names.account, operation: operation.id }
  const sent = { ...request, headers }
  if (route.stream) return client.ask(of, sent, context.signal, (answer) => readAsStream(route, answer))
  let passed: Record<string, string> = {}
  const reading = {
    mostBytes: route.responseBytes,
    accept(head: AnswerHead) {
      passed = accepted(route, head)
      refuseLong(route, head)
    },
  }
  return client.askWhole(of, sent, context.signal, reading, async ({ status, headers: given, body }) => {
    const encoding = encodingOf(given)
    // Some servers send an encoding header with an empty body.
    if (isPlain(encoding) || body.length === 0) return whole(route, status, passed, body)
    return whole(route, status, passed, await collect(decoded(Readable.from([body]), encoding), route.responseBytes))
  })
}

/** All customers are one client to the upstream, so each account's keys are kept apart from those of others. */
const withKey = (request: UpstreamRequest, account: string, key: string): UpstreamRequest => ({
  ...request,
  headers: {
    ...request.headers,
    'idempotency-key': createHash('sha256').update(`${account} ${key}`).digest('hex'),
  },
})

/** The headers that the customer gets. Throws UpstreamFailure for answers that are not for the customer. */
function accepted({ credential, responseHeaders }: Route, head: AnswerHead): Record<string, string> {
  refuseFailed(head)
  const headers = headersForCustomers(head.headers, responseHeaders)
  if (Object.values(headers).some(credential.secret.isIn))
    throw new UpstreamFailure('a header repeats the credential', { ofOneCall: true })
  return headers
}

function refuseLong({ responseBytes }: Route, { headers }: AnswerHead): void {
  if (Number(headers['content-length']) > responseBytes)
    throw new UpstreamFailure(`the body has more than ${responseBytes} bytes`, { ofOneCall: true })
}

/** Only a good answer is passed on as it arrives. */
async function readAsStream(route: Route, answer: RawAnswer): Promise<UpstreamAnswer> {
  const { status } = answer
  const headers = accepted(route, answer)
  const body = decoded(answer.body, encodingOf(answer.headers))
  if (status < 300) {
    const guarded = new GuardedStream(route.credential.secret, STREAM_BYTES)
    body.on('error', (cause) => guarded.destroy(new UpstreamFailure('the stream broke off', { cause })))
    // It may break off before anybody reads it.
    guarded.on('error', () => {}).on('close', () => body.destroy())
    return { status, headers, stream: body.pipe(guarded) }
  }
  refuseLong(route, answer)
  return whole(route, status, headers, await collect(body, route.responseBytes))
}

async function whole(
  route: Route,
  status: number,
  headers: Record<string, string>,
  body: Buffer,
): Promise<UpstreamAnswer> {
  if (await route.credential.secret.isInWhole(body))
    throw new UpstreamFailure('the body repeats the credential', { ofOneCall: true })
  if (body.length > 0 && /[/+]json\b/.test(headers['content-type'] ?? '') && status < 300)
    route.onJson(parseJson(body), body.length)
  return { status, headers, body }
}

/** A body may be encoded several times; servers send the encodings in one header or in several. */
const encodingOf = ({ 'content-encoding': given }: AnswerHead['headers']): string | undefined =>
  Array.isArray(given) ? given.join(', ') : given

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new UpstreamFailure('the body is not the JSON that its type says')
  }
}
