import type { Caller } from '../metering/meter.ts'
import { JSON_HEADERS, type McpReply } from './message.ts'
import { whenEnded } from './when-ended.ts'

const MAX_STREAMS_PER_KEY = 8
const INTERNAL_ERROR = -32603

/** Limits the open event streams of one key, so that one client cannot use up all of a server's connections. */
export function createSubscriptionLimit() {
  const open = new Map<number, number>()

  const ended = (key: number): void => {
    const left = (open.get(key) ?? 1) - 1
    if (left > 0) open.set(key, left)
    else open.delete(key)
  }

  return {
    /** The refusal of one subscription too many, else null. */
    refuse(caller: Caller, message: unknown): McpReply | null {
      if ((open.get(streamsOf(caller)) ?? 0) < MAX_STREAMS_PER_KEY) return null
      const error = {
        code: INTERNAL_ERROR,
        message: `Subscription limit reached: ${MAX_STREAMS_PER_KEY} streams are open for this key. Close one first.`,
      }
      const id = (message as { id?: unknown }).id ?? null
      return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
    },
    /** Counts a stream while it is open. */
    count(caller: Caller, reply: McpReply): McpReply {
      if (typeof reply.body === 'string') return reply
      const key = streamsOf(caller)
      open.set(key, (open.get(key) ?? 0) + 1)
      return { ...reply, body: whenEnded(reply.body, () => ended(key)) }
    },
  }
}

/** Calls without a key are the account's (the playground); account ids and key ids must not collide. */
const streamsOf = ({ keyId, accountId }: Caller): number => keyId ?? -accountId
