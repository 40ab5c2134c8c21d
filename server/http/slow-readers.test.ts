import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cutSlowReaders } from './slow-readers.ts'

const KB = 1024
let server: EventEmitter
beforeEach(() => {
  vi.useFakeTimers()
  server = new EventEmitter()
  cutSlowReaders(server as Server, 1_000)
})
afterEach(() => {
  server.emit('close')
  vi.useRealTimers()
})

/** A connection as the kernel presents it: `queued` bytes were written, and the client takes `takes` in each second. */
function connection(queued: number, takes: number) {
  const socket = Object.assign(new EventEmitter(), {
    writableLength: queued,
    bytesWritten: queued,
    destroyed: false,
    destroy() {
      socket.destroyed = true
      socket.emit('close')
    },
  })
  server.emit('connection', socket)
  const pass = () => {
    socket.writableLength = Math.max(0, socket.writableLength - takes)
  }
  return { socket, pass }
}

test.each<[string, number, number, boolean]>([
  ['a client that takes a little now and then', 4_000 * KB, 100 * KB, true],
  ['a client that takes enough', 4_000 * KB, 256 * KB, false],
  ['a client that takes all of a small response', 50 * KB, 50 * KB, false],
  ['a client that takes nothing of a small response', 50 * KB, 0, true],
  ['a connection with nothing to send', 0, 0, false],
])('%s: %i bytes, %i a second, cut: %s', (_name, queued, takes, cut) => {
  const { socket, pass } = connection(queued, takes)
  for (let second = 0; second < 5; second++) {
    vi.advanceTimersByTime(1_000)
    pass()
  }
  expect(socket.destroyed).toBe(cut)
})

test('small pieces that a client always takes are no reason to cut it', () => {
  const { socket } = connection(0, 0)
  for (let second = 0; second < 10; second++) {
    socket.bytesWritten += KB
    socket.writableLength = KB
    vi.advanceTimersByTime(1_000)
  }
  expect(socket.destroyed).toBe(false)
})
