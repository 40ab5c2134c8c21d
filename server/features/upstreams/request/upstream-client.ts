import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel'
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
import type { UpstreamRequest } from './build-request.ts'
import { type CallFigures, type CountedCalls, figuresOf } from './call-figures.ts'
import { createFailingAccounts, type FailingAccounts, type Outcome } from './failing-accounts.ts'
import { toAppError, UpstreamFailure } from './failure.ts'
import { type AnswerHead, codeOf, type Reading, readWhole } from './read-answer.ts'

const CONNECT_TIMEOUT_MS = 5_000
const KEEP_ALIVE_MS = 30_000
const MAX_HEADER_BYTES = 16 * 1024
/** How long others wait while one call tries whether a rest is over. */
const TRIAL_MS = 1_000
/** As which account the operator's own requests count. */
const OPERATOR = 'operator'

export type RawAnswer = AnswerHead & { body: Readable }

/** Whose call it is, and of which operation: what failures are kept by. */
export interface CallOf {
  account: string
  operation: string
}

/** The connections to one upstream. */
export interface UpstreamClient {
  /**
   * Sends one request and lets `use` read the answer. The call has its place among the upstream's concurrent ones until `use` has
   * resolved and, where it handed on the body, until that has ended. One account has at most half of the places. `use` throws UpstreamFailure for an answer that counts as
   * failed. Throws AppError.
   */
  ask: <T>(
    of: CallOf,
    request: UpstreamRequest,
    signal: AbortSignal,
    use: (answer: RawAnswer) => Promise<T>,
  ) => Promise<T>
  /** The same for an answer whose body is read to its end before `use` gets it. */
  askWhole: <T>(
    of: CallOf,
    request: UpstreamRequest,
    signal: AbortSignal,
    reading: Reading,
    use: (answer: AnswerHead & { body: Buffer }) => T | Promise<T>,
  ) => Promise<T>
  /** A call of several requests, which together have one place and one outcome. `work` throws as `use` does. Throws AppError. */
  call: <T>(of: CallOf, work: () => Promise<T>) => Promise<T>
  /** One request of such a call. Its body is read or destroyed by the caller. Throws UpstreamFailure, or the signal's reason. */
  send: (request: UpstreamRequest, signal: AbortSignal) => Promise<RawAnswer>
  /** A request of the operator's own failed. */
  probeFailed: (error: unknown) => void
  /** How its calls went, and whether the breaker of its connections lets calls through. */
  health: () => Health
  /** Calls under way end; there are no others. */
  close: () => Promise<void>
}

export interface Health extends CallFigures {
  /** `trying`: one call is let through, to see whether the upstream can be reached again. */
  breaker: 'closed' | 'open' | 'trying'
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
    // One more than calls may use, for Finmeter's own requests for the lists of an MCP server.
    connections: limits.concurrency + 1,
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The call's own deadline aborts it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const failing = createFailingAccounts(limits.breaker)
  /** Errors of connections that could not be made. */
  const unconnected = new WeakSet<object>()
  const isUnconnected = (error: unknown): boolean =>
    error instanceof UpstreamFailure && unconnected.has(Object(error.cause))
  pool.on('connectionError', (_origin, _targets, error) => unconnected.add(error))
  const breaker = createBreaker(limits.breaker, isUnconnected)
  const counted: CountedCalls = { calls: 0, failed: 0, byMs: new Map(), since: new Date().toISOString() }
  let underWay = 0
  const byAccount = new Map<string, number>()
  const mostOfAccount = Math.max(1, Math.floor(limits.concurrency / 2))

  const takePlace = (account: string): void => {
    const own = byAccount.get(account) ?? 0
    if (underWay >= limits.concurrency || own >= mostOfAccount)
      throw new AppError('overloaded', `${name} is answering as many calls as it takes. Try again shortly.`, {
        retryAfterSeconds: 1,
      })
    underWay++
    byAccount.set(account, own + 1)
  }

  const freePlace = (account: string): void => {
    underWay--
    const left = byAccount.get(account)! - 1
    if (left > 0) byAccount.set(account, left)
    else byAccount.delete(account)
  }

  /** Checks a base that is an IP address: no name is looked up for it, so `lookup` never sees it. */
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

  /** Runs one call within the limits. If `work` passes a body to `lasting`, the call keeps its place until that body ends. */
  const limited = async <T>(
    { account, operation }: CallOf,
    work: (lasting: (body: Readable) => void) => Promise<T>,
  ): Promise<T> => {
    const tracked = trackCall(failing, account, operation)
    const waitMs = tracked.waitMs()
    if (waitMs > 0) throw toAppError(name, { retryAfterS: Math.ceil(waitMs / 1_000) })
    takePlace(account)
    tracked.begin()
    let body: Readable | undefined
    let outcome: Outcome = 'good'
    let isGood = true
    let isSent = true
    const beganMs = performance.now()
    try {
      return await breaker.execute(() =>
        work((given) => {
          body = given
        }),
      )
    } catch (error) {
      outcome = outcomeOf(error, isUnconnected)
      isGood = !(error instanceof UpstreamFailure || outcome !== null)
      body?.destroy()
      if (error instanceof BrokenCircuitError) {
        isSent = false
        throw toAppError(name, { retryAfterS: limits.breaker.rest_s })
      }
      if (!(error instanceof UpstreamFailure)) throw error
      onFailure(error)
      throw toAppError(name, error)
    } finally {
      tracked.end(outcome)
      if (isSent) {
        const ms = Math.round(performance.now() - beganMs)
        counted.calls++
        if (!isGood) counted.failed++
        counted.byMs.set(ms, (counted.byMs.get(ms) ?? 0) + 1)
      }
      if (body && !body.closed && !body.destroyed) body.once('close', () => freePlace(account))
      else freePlace(account)
    }
  }

  return {
    ask: (of, request, signal, use) =>
      limited(of, async (lasting) => {
        const answer = await againIfRead(request, signal, () => send(request, signal))
        answer.body.on('error', () => {})
        lasting(answer.body)
        return use(answer)
      }),
    askWhole: (of, request, signal, reading, use) =>
      limited(of, async () => {
        requireAllowed()
        return use(await againIfRead(request, signal, () => readWhole(pool, request, signal, reading)))
      }),
    call: (of, work) => limited(of, work),
    send,
    probeFailed(error) {
      if (error instanceof UpstreamFailure && error.refused) failing.refused(OPERATOR, error.retryAfterS)
    },
    health: () => ({ ...figuresOf(counted), breaker: stateOf(breaker.state) }),
    close: () => pool.close(),
  }
}

const stateOf = (state: CircuitState): Health['breaker'] =>
  state === CircuitState.Closed ? 'closed' : state === CircuitState.HalfOpen ? 'trying' : 'open'

/**
 * Follows one call of an account: `waitMs` is how long it must wait because calls like it failed (0 if it may begin), and `end` records
 * how it went. The first call after a wait is a trial: others wait until it has ended.
 */
export function trackCall({ operations, all, now, remember, failed }: FailingAccounts, account: string, id: string) {
  const known = operations.get(id)
  const found = known?.accounts.get(account)
  const [operation, own] = found ? [known!, found] : remember(account, id)
  let tried = false
  return {
    waitMs(): number {
      const leftMs = Math.max(all.untilMs, operation.untilMs, own.untilMs) - now()
      return leftMs > 0 ? leftMs : own.tries ? TRIAL_MS : 0
    },
    begin(): void {
      tried = operation.rests || own.rests
      if (tried) own.tries = true
    },
    end(outcome: Outcome): void {
      if (tried) own.tries = false
      if (outcome === null) return
      if (outcome !== 'good') {
        failed(operation, own, account, outcome, tried)
        return
      }
      own.succeededAtMs = now()
      if (!tried) return
      operation.rests = false
      own.rests = false
      own.failedAtMs = []
    },
  }
}

/** A connection that could not be made is no account's failure: `createBreaker` counts it. */
function outcomeOf(error: unknown, isUnconnected: (error: unknown) => boolean): Outcome {
  if (error instanceof UpstreamFailure) return error.ofOneCall || isUnconnected(error) ? null : error
  return error instanceof AppError && error.code === 'tool_timeout' ? {} : null
}

/** Opens at so many failures within a time in which nothing succeeded. */
class ErrorsWithin implements IBreaker {
  state: number[] = []
  #succeededAtMs = Number.NEGATIVE_INFINITY
  readonly #errors: number
  readonly #withinMs: number

  constructor(errors: number, withinMs: number) {
    this.#errors = errors
    this.#withinMs = withinMs
  }

  success(state: CircuitState): void {
    if (state === CircuitState.HalfOpen) this.state = []
    this.#succeededAtMs = performance.now()
  }

  failure(state: CircuitState): boolean {
    const nowMs = performance.now()
    const sinceMs = nowMs - this.#withinMs
    this.state = [...this.state.filter((atMs) => atMs > sinceMs), nowMs].slice(-this.#errors)
    return state === CircuitState.HalfOpen || (this.state.length >= this.#errors && this.#succeededAtMs <= sinceMs)
  }
}

/**
 * A circuit breaker for the connections of one upstream, because a customer cannot make them fail (names, TCP, TLS): after so many failures
 * within so many seconds, calls are refused for `rest_s` seconds; then one is let through to try.
 */
const createBreaker = (
  { errors, within_s, rest_s }: Manifest['limits']['breaker'],
  isUnconnected: (error: unknown) => boolean,
) =>
  circuitBreaker(handleWhen(isUnconnected), {
    halfOpenAfter: rest_s * 1_000,
    breaker: new ErrorsWithin(errors, within_s * 1_000),
  })
