import type { LaneRequest } from './exchange.ts'

/** Calls `listener` once when the client has closed the connection, or its half of it. Returns a function that ends this. */
export function onGone(socket: LaneRequest['socket'], listener: () => void): () => void {
  if (socket.destroyed || socket.readableEnded) {
    listener()
    return () => {}
  }
  const events = ['end', 'close'] as const
  for (const event of events) socket.once?.(event, listener)
  return () => {
    for (const event of events) socket.off?.(event, listener)
  }
}
