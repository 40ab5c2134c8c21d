import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { LEAST_READ_BYTES, UNREAD_RESPONSE_MS } from './limits/table.ts'

/**
 * Disconnects clients that read too slowly: in each `everyMs` they must take `LEAST_READ_BYTES`, or all that waited for
 * them at its beginning. Without this, a byte now and then would keep a whole response in memory.
 */
export function cutSlowReaders(server: Server, everyMs = UNREAD_RESPONSE_MS): void {
  const open = new Set<Socket>()
  /** How many bytes a socket must have passed on by the next look. */
  const due = new WeakMap<Socket, number>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const look = (): void => {
    for (const socket of open) {
      const waiting = socket.writableLength
      const passedOn = socket.bytesWritten - waiting
      const wanted = due.get(socket)
      if (waiting === 0) due.delete(socket)
      else if (wanted !== undefined && passedOn < wanted) socket.destroy()
      else due.set(socket, passedOn + Math.min(waiting, LEAST_READ_BYTES))
    }
  }
  const timer = setInterval(look, everyMs).unref()
  server.once('close', () => clearInterval(timer))
}
