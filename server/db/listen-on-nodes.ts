import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createListener, type Listener, type NotificationHandler } from './listen.ts'
import type { Placement } from './placement.ts'

const RETRY_MS = 1_000

/**
 * Hears what functions of buckets say on their nodes, because PostgreSQL delivers notifications within one server only.
 * Not connected while one node cannot be heard. Without Citus it is the listener itself.
 */
export function listenOnNodes(coordinator: Listener, placement: Placement, log: Logger): Listener {
  const handlers: [channel: string, handler: NotificationHandler][] = []
  const lostHandlers: (() => void)[] = []
  /** Null until it is heard. */
  const nodes = new Map<string, Listener | null>()
  let closed = false

  const open = async (url: string): Promise<void> => {
    nodes.set(url, null)
    while (!closed && nodes.has(url))
      try {
        const listener = await createListener(url, log)
        if (closed || !nodes.has(url)) return await listener.close()
        for (const [channel, handler] of handlers) listener.on(channel, handler)
        for (const handler of lostHandlers) listener.onLost(handler)
        nodes.set(url, listener)
        return
      } catch (error) {
        log.warn({ error: (error as Error).message }, 'cannot listen to a node of the database')
        await sleep(RETRY_MS, undefined, { ref: false })
      }
  }
  const follow = (): void => {
    const wanted = new Set(placement.nodes())
    for (const url of wanted) if (!nodes.has(url)) void open(url)
    for (const [url, listener] of nodes)
      if (!wanted.has(url)) {
        nodes.delete(url)
        void listener?.close()
      }
  }
  follow()
  placement.onChange(follow)
  return {
    get connected() {
      return coordinator.connected && [...nodes.values()].every((listener) => listener?.connected)
    },
    on(channel, handler) {
      handlers.push([channel, handler])
      for (const listener of [coordinator, ...nodes.values()]) listener?.on(channel, handler)
    },
    onLost(handler) {
      lostHandlers.push(handler)
      for (const listener of [coordinator, ...nodes.values()]) listener?.onLost(handler)
    },
    async close() {
      closed = true
      await Promise.all([...nodes.values()].map((listener) => listener?.close()))
    },
  }
}
