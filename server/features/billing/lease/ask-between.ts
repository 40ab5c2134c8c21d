import { AsyncLocalStorage } from 'node:async_hooks'
import { isInTransaction } from '../../../db/in-transaction.ts'
import type { Lease } from './take-lease.ts'

const ATTEMPTS = 2
/** The SDK must not repeat what is answered here. */
const FINAL = { 'stripe-should-retry': 'false', 'content-type': 'application/json' }
/** The code of the error that stands for a reply. It ends the run, and nobody reads it. */
export const LATER = 'asked_after_the_transaction'
const ASKED_LATER = JSON.stringify({ error: { code: LATER, message: 'asked after the transaction' } })
const NO_ANSWER = JSON.stringify({ error: { type: 'api_error', message: 'Stripe did not answer.' } })

interface Reply {
  /** Method, URL and body. */
  request: string
  status: number
  headers: [string, string][]
  body: string
}

/** The requests of a transaction that runs again and again, until it lacks no reply and no lease. */
export interface Conversation {
  replies: Reply[]
  /** How many requests this run has made. */
  asked: number
  /** By name. */
  leases: Map<string, Lease>
  /** Takes one more. */
  addLease: (name: string) => Promise<void>
  /** Gets what this run lacked first: a reply or a lease. */
  missing: (() => Promise<void>) | null
}

const current = new AsyncLocalStorage<Conversation>()

/** Runs `work` so that its requests to Stripe are answered from the conversation, and the first unanswered one is noted. */
export const inConversation = <T>(conversation: Conversation, work: () => Promise<T>): Promise<T> =>
  current.run(conversation, work)

/**
 * Such a transaction goes on only if it holds this lease, too: what it asks from here on is newer than all that earlier holders wrote.
 * Without it the run ends, and the next one has it. Take leases in the order account, customer, charge: then no two transactions wait
 * for each other. Throws outside of such a transaction.
 */
export async function needLease(name: string): Promise<void> {
  const conversation = current.getStore()
  if (!conversation) throw new Error(`A lease inside a transaction that cannot run again: ${name}`)
  if (conversation.leases.has(name)) return
  if (!conversation.missing) {
    conversation.replies.length = conversation.asked
    conversation.missing = () => conversation.addLease(name)
  }
  throw new Error(`runs again with ${name}`)
}

/**
 * `fetch` for the Stripe SDK. Outside of transactions it is `send`. Inside one, it sends nothing: it answers from the conversation, or
 * with an error after noting the request. Throws inside a transaction without a conversation: that would hold a connection while
 * Stripe is slow.
 */
export function askBetween(send: typeof globalThis.fetch, timeoutMs: number): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (!isInTransaction()) return send(input, init)
    const conversation = current.getStore()
    const request = `${init.method ?? 'GET'} ${String(input)} ${typeof init.body === 'string' ? init.body : ''}`
    if (!conversation) throw new Error(`A request to Stripe inside a transaction: ${init.method} ${String(input)}`)
    const at = conversation.asked++
    const known = conversation.replies[at]
    if (!conversation.missing && known?.request === request)
      return new Response(known.body, { status: known.status, headers: known.headers })
    if (!conversation.missing) {
      // What was asked after this point was asked in another state of the database.
      conversation.replies.length = at
      conversation.missing = async () => {
        const signal = AbortSignal.timeout(timeoutMs)
        conversation.replies.push(await reply(request, () => send(input, { ...init, signal })))
      }
    }
    return new Response(ASKED_LATER, { status: 409, headers: FINAL })
  }
}

/** Sends a request, once more after a failure of the network or of Stripe: each has an idempotency key. */
async function reply(request: string, send: () => Promise<Response>): Promise<Reply> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const response = await send()
      if (response.status >= 500 && attempt < ATTEMPTS) continue
      const headers = Object.entries({ ...Object.fromEntries(response.headers), ...FINAL })
      return { request, status: response.status, headers, body: await response.text() }
    } catch {
      // Told below, if the next attempt fails, too.
    }
  }
  return { request, status: 503, headers: Object.entries(FINAL), body: NO_ANSWER }
}
