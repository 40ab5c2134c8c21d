import { FinmeterError } from '../errors.ts'
import { customerOf } from './customer.ts'
import { authorize, type Cost, type DoorOptions, type Held, type Priced, type Settled } from './meter-door.ts'
import { type NodeRequest, type NodeResponse, settleBeforeSending } from './node-response.ts'

export interface GuardOptions extends Priced, DoorOptions {
  /** The customer's address, for keys that are bound to networks. Default: the address of the connection, where there is one. */
  addressOf?: (request: object) => string | undefined
}

const costs = new WeakMap<object, Cost>()

/** Inside a guarded handler: what this call came to, if less than was reserved. `request` is what the handler got. */
export function report(request: object, cost: Cost): void {
  costs.set(request, cost)
}

/**
 * Charges each call of a handler. Works for fetch handlers, Hono, Express and Fastify, with the same handler as before. The most that
 * the call may cost is reserved before the handler runs; the charge is on disk before the first byte of its answer leaves. Answers
 * of status 400 and above cost nothing, and so do handlers that throw.
 */
// biome-ignore lint/suspicious/noExplicitAny: the handler keeps its own type
export function guard<H extends (...args: any[]) => any>(options: GuardOptions, handler: H): H {
  const guarded = (...args: Parameters<H>): unknown => {
    const [first, second] = args
    const run = () => handler(...args)
    if (first instanceof Request) return guardFetch(options, first, first, run)
    if (first?.req?.raw instanceof Request) return guardFetch(options, first.req.raw, first, run)
    // Fastify wraps both; Express and plain Node do not.
    if (first?.raw && second?.raw) {
      return guardNode(options, first.raw, second.raw, first, run, () => second.hijack())
    }
    if (typeof second?.writeHead === 'function') {
      const next = typeof args[2] === 'function' ? (args[2] as (error: unknown) => void) : undefined
      return guardNode(options, first, second, first, run, () => {}, next)
    }
    throw new TypeError(
      'guard: this is neither a Request, nor a context of Hono, nor a request of Express, Fastify or Node.',
    )
  }
  return guarded as H
}

async function guardFetch(options: GuardOptions, request: Request, key: object, run: () => unknown): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  let held: Held
  try {
    const target = `${request.method} ${pathname}${search}`
    const customer = await customerOf((name) => request.headers.get(name), target, options.addressOf?.(key))
    held = await authorize(options, customer, options)
  } catch (error) {
    return refuse(error)
  }
  let response: Response
  try {
    response = (await run()) as Response
  } catch (error) {
    await settleAs(held, 500, {}).catch(() => {})
    throw error
  }
  try {
    const settled = await settleAs(held, response.status, costs.get(key) ?? {})
    const charged = new Response(response.body, response)
    for (const [name, value] of Object.entries(headersOf(settled))) charged.headers.set(name, value)
    return charged
  } catch (error) {
    await response.body?.cancel()
    return refuse(error)
  }
}

async function guardNode(
  options: GuardOptions,
  request: NodeRequest,
  response: NodeResponse,
  key: object,
  run: () => unknown,
  takeOver: () => void,
  next?: (error: unknown) => void,
): Promise<unknown> {
  const header = (name: string): string | undefined => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  let held: Held
  try {
    const target = `${request.method} ${request.originalUrl ?? request.url}`
    // Express and Fastify know which proxies they trust.
    const own = (key as { ip?: string }).ip ?? request.socket?.remoteAddress
    const address = options.addressOf ? options.addressOf(key) : own
    held = await authorize(options, await customerOf(header, target, address), options)
  } catch (error) {
    takeOver()
    write(response, problemOf(error))
    return
  }
  settleBeforeSending(response, {
    settle: async (status) => headersOf(await settleAs(held, status, costs.get(key) ?? {})),
    refusal: problemOf,
    abandon: () => void held.release().catch(() => {}),
  })
  if (!next) return run()
  try {
    return await run()
  } catch (error) {
    next(error)
  }
}

/** Null if nothing was recorded, because the request was wrong. */
async function settleAs(held: Held, status: number, cost: Cost): Promise<Settled | null> {
  if (status < 400) return held.settle(cost)
  if (status >= 500) return held.settle({}, 'failed')
  await held.release()
  return null
}

function headersOf(settled: Settled | null): Record<string, string> {
  if (!settled) return { 'x-credits-charged': '0' }
  return {
    'x-credits-charged': String(settled.creditsCharged),
    'x-credits-remaining': settled.remaining === null ? 'unlimited' : String(settled.remaining),
    'x-receipt-id': settled.receipt,
  }
}

interface Refusal {
  status: number
  headers: Record<string, string>
  body: string
}

/** Throws what is not an answer to a customer: a guard that is not set up. */
function problemOf(error: unknown): Refusal {
  if (!(error instanceof FinmeterError)) throw error
  const { status, code, problem } = error
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'private, no-store',
  }
  if (problem.retry_after !== undefined) headers['retry-after'] = String(Math.ceil(problem.retry_after))
  return { status, headers, body: JSON.stringify({ ...problem, status, code }) }
}

function refuse(error: unknown): Response {
  const { status, headers, body } = problemOf(error)
  return new Response(body, { status, headers })
}

function write(response: NodeResponse, { status, headers, body }: Refusal): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body)
}
