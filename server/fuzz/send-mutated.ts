import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { mark, marksIn, mutateRequest, validRequest } from './mutate-request.ts'
import type { Random } from './random.ts'
import { readResponses } from './read-responses.ts'

export interface Find {
  what: string
  sent: string
  received: string
}

export interface Tally {
  sent: number
  /** Sentinels that were answered: the connection was still in step. */
  inStep: number
  connections: number
  statuses: Record<number, number>
  finds: Find[]
}

/** After this long without an answer, the server waits for more of the message, and the client hangs up. Nothing is asserted by it. */
const QUIET_MS = 150
/** Fault of a request is 4xx; 501, 503 and 505 are said on purpose. */
const FAULTS = new Set([500, 502, 504])

/**
 * Sends `runs` mutated requests, each followed by a sentinel on the same connection, which is kept while it is in step. Every
 * response that names a request must be to this connection's last request or sentinel, in order, and no more often than the
 * name was sent.
 */
export async function sendMutated(port: number, ids: Iterator<number>, random: Random): Promise<Tally> {
  const tally: Tally = { sent: 0, inStep: 0, connections: 0, statuses: {}, finds: [] }
  let line: Line | null = null
  for (let next = ids.next(); !next.done; next = ids.next()) {
    const id = next.value
    // Now and then a valid request, after which the connection must be in step.
    const isValid = random.below(8) === 0
    const message = isValid ? validRequest(id, random) : mutateRequest(id, random)
    const sentinel = `GET /v1/${mark('sentinel', id)} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    if (!line) {
      line = await openLine(port)
      tally.connections++
    }
    tally.sent++
    const cut = random.below(3) === 0 ? random.below(message.length + 1) : message.length
    const received: string = await line.exchange(
      [message.slice(0, cut), message.slice(cut) + sentinel],
      mark('sentinel', id),
      isValid,
    )
    const { responses, rest } = readResponses(received)
    const report = (what: string) => tally.finds.push({ what, sent: message, received })
    for (const { status } of responses) {
      tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
      if (FAULTS.has(status)) report(`status ${status}`)
    }
    const named = responses.flatMap(({ body }) => marksIn(body))
    if (named.some((one) => one.id !== id)) report('a response to another request')
    const order = named.map(({ kind }) => kind)
    const written = marksIn(message + sentinel).map(({ kind }) => kind)
    const times = (kinds: string[], kind: string) => kinds.filter((one) => one === kind).length
    if (order.some((kind) => times(order, kind) > times(written, kind))) report('more responses than requests')
    if (order.includes('sentinel') && order.at(-1) !== 'sentinel') report('responses out of order')
    // Fastify announces the end of the connection when it refuses a body.
    const isAnnounced = /\r\nconnection: close\r\n/i.test(received)
    if (isValid && !isAnnounced && order.at(-1) !== 'sentinel')
      report('a valid request left the connection out of step')
    if (order.at(-1) === 'sentinel') {
      tally.inStep++
      if (rest !== '') report('bytes after the last response')
    }
    if (order.at(-1) !== 'sentinel' || line.isClosed()) {
      await line.close()
      line = null
    }
  }
  await line?.close()
  return tally
}

interface Line {
  /** Writes the parts. Returns what arrives until `mark` and the rest of its response, the end, or, unless patient, silence. */
  exchange: (parts: string[], mark: string, isPatient: boolean) => Promise<string>
  isClosed: () => boolean
  close: () => Promise<void>
}

async function openLine(port: number): Promise<Line> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('error', () => {})
  await once(socket, 'connect')
  let received = ''
  let wake = (): void => {}
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    wake()
  })
  socket.on('close', () => wake())
  const change = (): Promise<boolean> =>
    new Promise((done) => {
      const quiet = setTimeout(() => done(false), QUIET_MS)
      wake = () => {
        clearTimeout(quiet)
        done(true)
      }
    })
  return {
    async exchange(parts, mark, isPatient) {
      received = ''
      for (const part of parts) {
        if (part === '' || socket.destroyed) continue
        socket.write(part, 'latin1')
        await new Promise((later) => setImmediate(later))
      }
      while (!socket.destroyed) {
        if (readResponses(received).responses.some(({ body }) => body.includes(mark))) break
        if (!(await change()) && !isPatient) break
      }
      return received
    },
    isClosed: () => socket.destroyed || socket.readableEnded,
    async close() {
      if (socket.destroyed) return
      const closed = new Promise((done) => socket.once('close', done))
      socket.destroy()
      await closed
    },
  }
}
