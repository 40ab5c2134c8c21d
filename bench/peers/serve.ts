import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PeerReady } from '../wire.ts'

/** The first message of the bench: what this peer is to do. */
export function setup<T>(): Promise<T> {
  return new Promise((done) => process.once('message', (message) => done(message as T)))
}

/** Listens on a free loopback port and tells the bench. The process ends when the bench hangs up. */
export function serve(listener: RequestListener, keys?: string[]): void {
  process.once('disconnect', () => process.exit())
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  server.listen(0, '127.0.0.1', () =>
    process.send?.({
      port: (server.address() as AddressInfo).port,
      pid: process.pid,
      keys,
    } satisfies PeerReady),
  )
}
