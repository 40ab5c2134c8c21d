import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { AppError } from '../../../http/errors.ts'
import { Canceled, type McpCall, type McpRoute } from './fetch-upstream.ts'
import { openSession, priorOf, type Session } from './session.ts'

const IDLE_MS = 5 * 60_000
const MOST_KEPT = 1_000

type Work<T> = (session: Session) => Promise<T>

/** The sessions with one MCP server. */
export interface Sessions {
  /** Does `work` in a session of its own or, if they are kept, in the customer's. A session that failed is not used again. */
  use: <T>(accountId: number, call: McpCall, work: Work<T>) => Promise<T>
  /** Does `work` in a new session, which asks again what the server speaks. */
  fresh: <T>(call: McpCall, work: Work<T>) => Promise<T>
  close: () => Promise<void>
}

/** `keep`: each customer's session stays open for some minutes after a call. */
export function createSessions(route: McpRoute, keep: boolean): Sessions {
  let prior: PriorDiscovery | undefined
  const kept = new Map<number, Kept>()

  const open = async (call: McpCall, known: PriorDiscovery | undefined): Promise<Session> => {
    const session = await openSession(route, call, known)
    prior = priorOf(session)
    return session
  }
  const once = async <T>(call: McpCall, work: Work<T>): Promise<T> => {
    const session = await open(call, prior)
    try {
      return await work(session)
    } finally {
      // No customer waits for it.
      void canceled(session, call).then(() => session.end())
    }
  }
  const drop = async (accountId: number, dropped: Kept): Promise<void> => {
    clearTimeout(dropped.timer)
    if (kept.get(accountId) === dropped) kept.delete(accountId)
    await dropped.opening.then((session) => session.end()).catch(() => {})
  }
  const inKept = async <T>(accountId: number, call: McpCall, work: Work<T>): Promise<T> => {
    let opened = false
    const one = kept.get(accountId) ?? { opening: open(call, prior), timer: undefined }
    clearTimeout(one.timer)
    // The one that was used last is the last to be dropped.
    kept.delete(accountId)
    kept.set(accountId, one)
    const [oldest] = kept
    if (kept.size > MOST_KEPT) void drop(...oldest!)
    try {
      const session = await one.opening
      opened = true
      return await work(session)
    } catch (error) {
      void one.opening.then((session) => canceled(session, call)).catch(() => {})
      if (!opened || isFailed(error)) void drop(accountId, one)
      // It was the call that opened the session which was taken back, and not this one.
      if (!opened && error instanceof Canceled && !call.signal.aborted) return await inKept(accountId, call, work)
      throw error
    } finally {
      clearTimeout(one.timer)
      one.timer = setTimeout(() => void drop(accountId, one), IDLE_MS).unref()
    }
  }
  return {
    async use(accountId, call, work) {
      try {
        return await (keep ? inKept(accountId, call, work) : once(call, work))
      } catch (error) {
        if (isFailed(error)) prior = undefined
        throw error
      }
    },
    async fresh(call, work) {
      const session = await open(call, undefined)
      try {
        return await work(session)
      } finally {
        await session.end()
      }
    },
    async close() {
      await Promise.all([...kept].map((one) => drop(...one)))
    },
  }
}

interface Kept {
  opening: Promise<Session>
  timer: NodeJS.Timeout | undefined
}

const canceled = async (session: Session, call: McpCall): Promise<void> => {
  if (call.signal.aborted) await session.cancel(call)
}

/** Not merely a refusal of wrong inputs, or a call that the client took back. */
const isFailed = (error: unknown): boolean =>
  !(error instanceof Canceled) && (!(error instanceof AppError) || error.status >= 500)
