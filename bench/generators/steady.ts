/**
 * Sends requests at a steady rate, whatever the server does. If every connection is busy, a request waits. Latency
 * counts from when the request was due, so a stalled server cannot hide the delay.
 */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Slice } from '../wire.ts'

interface Order {
  port: number
  /** HTTP requests as text. */
  requests: string[]
  perSecond: number
  seconds: number
  connections: number
  /** The certificate is not checked. */
  tls?: boolean
  /** What every answer must be; any other counts as refused. `charged`: of the header X-Credits-Charged; null: it has none. */
  expected?: { body: string; charged: string | null }
}

interface Connection {
  socket: Socket
  /** Where the response to the current request goes; null: free. */
  dueAt: number | null
  head: string
  /** The body so far, where it is looked at. */
  body: string
  /** Bytes of the body that are still to come; -1: the head is not complete. */
  left: number
}

process.once('message', async (message) => {
  const { port, requests, perSecond, seconds, connections, tls, expected } = message as Order
  const amount = Math.round(perSecond * seconds)
  const latencies: number[] = []
  const waiting: number[] = []
  let sent = 0
  let refused = 0
  let broken = 0
  let open = connections
  let finished = () => {}

  const next = (connection: Connection): void => {
    const dueAt = waiting.shift()
    connection.dueAt = dueAt ?? null
    if (dueAt === undefined) return
    connection.head = ''
    connection.body = ''
    connection.left = -1
    connection.socket.write(requests[sent++ % requests.length]!)
  }
  const isRight = ({ head, body }: Connection): boolean => {
    if (!expected) return /^HTTP\/1\.1 [23]/.test(head)
    const charged = /\r\nx-credits-charged: (\S+)/i.exec(head)?.[1] ?? null
    return /^HTTP\/1\.1 200 /.test(head) && body === expected.body && charged === expected.charged
  }
  const answered = (connection: Connection): void => {
    latencies.push(performance.now() - connection.dueAt!)
    if (!isRight(connection)) refused += 1
    next(connection)
    if (latencies.length + broken >= amount) finished()
  }
  const read = (connection: Connection, chunk: Buffer): void => {
    let body = chunk.length
    if (connection.left === -1) {
      const before = connection.head.length
      connection.head += chunk.toString('latin1')
      const end = connection.head.indexOf('\r\n\r\n')
      if (end === -1) return
      connection.left = Number(/\r\ncontent-length: (\d+)/i.exec(connection.head)?.[1] ?? 0)
      body = before + chunk.length - end - 4
    }
    connection.left -= body
    if (expected) connection.body += chunk.toString('latin1', chunk.length - body)
    if (connection.left <= 0) answered(connection)
  }

  const all = await Promise.all(
    Array.from({ length: connections }, async () => {
      const address = { port, host: '127.0.0.1', noDelay: true }
      const socket = tls ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address)
      await new Promise<void>((done) => socket.once(tls ? 'secureConnect' : 'connect', done))
      const connection: Connection = { socket, dueAt: null, head: '', body: '', left: -1 }
      socket.on('data', (chunk: Buffer) => read(connection, chunk))
      socket.on('error', () => {})
      socket.on('close', () => {
        if (connection.dueAt !== null) broken += 1
        open -= 1
        if (open === 0 || latencies.length + broken >= amount) finished()
      })
      return connection
    }),
  )

  const startedAt = performance.now()
  let due = 0
  const ended = new Promise<void>((done) => {
    finished = done
  })
  const timer = setInterval(() => {
    const now = performance.now()
    while (due < amount && startedAt + (due * 1000) / perSecond <= now) {
      waiting.push(startedAt + (due * 1000) / perSecond)
      due += 1
    }
    for (const connection of all) {
      if (waiting.length === 0) break
      if (connection.dueAt === null && !connection.socket.destroyed) next(connection)
    }
    if (due === amount) clearInterval(timer)
  }, 1)
  await ended
  const tookSeconds = (performance.now() - startedAt) / 1000
  for (const { socket } of all) socket.destroy()

  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0
  const slice: Slice = {
    sent,
    answered: latencies.length,
    refused,
    broken,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    perSecond: latencies.length / tookSeconds,
  }
  process.send?.(slice, () => process.exit())
})
