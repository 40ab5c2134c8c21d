import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { BrokenCircuitError } from 'cockatiel'
import { Pool } from 'undici'
import { AppError } from '../../../http/errors.ts'
import {
  BlockedAddress,
  checkedAddresses,
  hostOf,
  isPrivateHost,
  type Lookup,
  PRIVATE,
} from '../../../net/checked-addresses.ts'
import type { Manifest } from '../manifest.ts'
import { createBreaker } from './breaker.ts'
import type { UpstreamRequest } from './build-request.ts'
import { toAppError, UpstreamFailure } from './failure.ts'
import { type AnswerHead, codeOf, type Reading, readWhole } from './read-whole.ts'

const CONNECT_TIMEOUT_MS = 5_000
const KEEP_ALIVE_MS = 30_000
const MAX_HEADER_BYTES = 16 * 1024
/** An upstream that asks for a longer rest is asked again after this, so that a wrong header does not close it for hours. */
const MOST_REST_S = 60

export type RawAnswer = AnswerHead & { body: Readable }

/** The connections to one upstream. */
export interface UpstreamClient {
  /**
   * Sends one request and lets `use` read the answer. The call has its place among the upstream's concurrent ones until `use` has
   * resolved and, where it handed on the body, until that has ended. One account has at most half of the places. `use` throws UpstreamFailure for an answer that counts as
   * failed. Throws AppError.
   */
  ask: <T>(
    account: string,
    request: UpstreamRequest,
    signal: AbortSignal,
    use: (answer: RawAnswer) => Promise<T>,
  ) => Promise<T>
  /** The same for an answer whose body is read to its end before `use` gets it. */
  askWhole: <T>(
    account: string,
    request: UpstreamRequest,
    signal: AbortSignal,
    reading: Reading,
    use: (answer: AnswerHead & { body: Buffer }) => T | Promise<T>,
  ) => Promise<T>
  /** A call of several requests, which together have one place and one outcome. `work` throws as `use` does. Throws AppError. */
  call: <T>(account: string, work: () => Promise<T>) => Promise<T>
  /** One request of such a call. Its body is read or destroyed by the caller. Throws UpstreamFailure, or the signal's reason. */
  send: (request: UpstreamRequest, signal: AbortSignal) => Promise<RawAnswer>
  /** Calls under way end; there are no others. */
  close: () => Promise<void>
}

type Options = Pick<Manifest, 'id' | 'base' | 'private_hosts' | 'limits'> & {
  name: string
  /** Notes a failure for the operator. */
  onFailure: (failure: UpstreamFailure) => void
  /** Replaces the resolver, for tests. */
  lookup?: Lookup
}

/** One pool of kept connections. Each new connection goes to an address that was checked just then, and never to another host. */
export function createUpstreamClient(options: Options): UpstreamClient {
  const { base, private_hosts, limits, name, onFailure } = options
  const url = new URL(base)
  const host = hostOf(url)
  const guard = {
    privateNetworks: private_hosts.includes(host),
    ...(options.lookup && { lookup: options.lookup }),
  }
  const lookup: LookupFunction = (name, { all }, done) => {
    checkedAddresses(name, guard).then(
      (found) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      (error: Error) => done(error, ''),
    )
  }
  const pool = new Pool(url.origin, {
    // One more for what is asked beside the calls.
    connections: limits.concurrency + 1,
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The call's own deadline aborts it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const breaker = createBreaker(limits.breaker)
  let underWay = 0
  let restUntilMs = 0
  const byAccount = new Map<string, number>()
  const mostOfAccount = Math.max(1, Math.floor(limits.concurrency / 2))

  const enter = (account: string): void => {
    const restMs = restUntilMs - performance.now()
    if (restMs > 0) throw toAppError(name, { retryAfterS: Math.ceil(restMs / 1_000) })
    const own = byAccount.get(account) ?? 0
    if (underWay >= limits.concurrency || own >= mostOfAccount)
      throw new AppError('overloaded', `${name} is answering as many calls as it takes. Try again shortly.`, {
        retryAfterSeconds: 1,
      })
    underWay++
    byAccount.set(account, own + 1)
  }

  const leave = (account: string): void => {
    underWay--
    const left = byAccount.get(account)! - 1
    if (left > 0) byAccount.set(account, left)
    else byAccount.delete(account)
  }

  /** The socket does not look these up. */
  const requireAllowed = (): void => {
    if (!guard.privateNetworks && isPrivateHost(host))
      throw new UpstreamFailure(`no answer: ${BlockedAddress.name}`, {
        unanswered: true,
        cause: new BlockedAddress(PRIVATE),
      })
  }

  const send = async ({ method, path, headers, body }: UpstreamRequest, signal: AbortSignal): Promise<RawAnswer> => {
    requireAllowed()
    try {
      const { statusCode, headers: given, body: stream } = await pool.request({ method, path, headers, body, signal })
      return { status: statusCode, headers: given, body: stream }
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      throw new UpstreamFailure(`no answer: ${codeOf(cause)}`, { unanswered: true, cause })
    }
  }

  /** A kept connection may have been closed just as it was used, and a read can be sent again. */
  const againIfRead = <T>({ method }: UpstreamRequest, signal: AbortSignal, sent: () => Promise<T>): Promise<T> =>
    sent().catch((error: unknown) => {
      if (!(error instanceof UpstreamFailure && error.unanswered) || method !== 'GET' || signal.aborted) throw error
      return sent()
    })

  /** `work` may name a body that keeps the place until it ends. */
  const limited = async <T>(account: string, work: (lasting: (body: Readable) => void) => Promise<T>): Promise<T> => {
    enter(account)
    let body: Readable | undefined
    try {
      return await breaker.execute(() =>
        work((given) => {
          body = given
        }),
      )
    } catch (error) {
      body?.destroy()
      if (error instanceof BrokenCircuitError) throw toAppError(name, { retryAfterS: limits.breaker.rest_s })
      if (!(error instanceof UpstreamFailure)) throw error
      if (error.rests) restUntilMs = performance.now() + Math.min(error.retryAfterS!, MOST_REST_S) * 1_000
      onFailure(error)
      throw toAppError(name, error)
    } finally {
      if (body && !body.closed && !body.destroyed) body.once('close', () => leave(account))
      else leave(account)
    }
  }

  return {
    ask: (account, request, signal, use) =>
      limited(account, async (lasting) => {
        const answer = await againIfRead(request, signal, () => send(request, signal))
        answer.body.on('error', () => {})
        lasting(answer.body)
        return use(answer)
      }),
    askWhole: (account, request, signal, reading, use) =>
      limited(account, async () => {
        requireAllowed()
        return use(await againIfRead(request, signal, () => readWhole(pool, request, signal, reading)))
      }),
    call: (account, work) => limited(account, work),
    send,
    close: () => pool.close(),
  }
}
