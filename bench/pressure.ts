import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import { startFinmeter } from './finmeter.ts'
import { residentMb } from './machine.ts'

const EXPORTS = 20
const SLOW_READERS = 300
/** One response fits into the buffers of the system. */
const REQUESTS_OF_A_READER = 4
const QUOTES_PER_SECOND = 100
const WINDOW_SECONDS = 10
const CREDITS = 1_000_000_000
const QUOTE = '/v1/quotes?symbols=AAPL'
const EXPORT = '/v1/bars/BTC-USD?interval=1m&range=max&limit=1000000&format=csv'
const LARGE = '/v1/bars/BTC-USD?interval=1m&range=max&limit=10000&format=json'

interface Asked {
  status: number
  bytes: number
  ms: number
}

/** Quotes alone, beside exports, and beside clients that read nothing. A table in Markdown. */
export async function runPressure(say: (line: string) => void): Promise<string> {
  const server = await startFinmeter()
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
  try {
    const { db, secrets } = server.connection
    const keys = await Promise.all(
      Array.from({ length: EXPORTS / 2 + 1 }, async () => (await makeLoadTestAccount(db.kysely, secrets, CREDITS)).key),
    )
    const quoting = keys[0]!
    const ask = (path: string, key: string) => get(agent, server.port, path, key)
    await quotes(ask, quoting, 2)
    const alone = await quotes(ask, quoting, WINDOW_SECONDS)
    say(`quotes alone: ${alone.text}`)

    let running = true
    let exported = 0
    let exportBytes = 0
    const exporting = Array.from({ length: EXPORTS }, async (_, at) => {
      while (running) {
        const { status, bytes } = await ask(EXPORT, keys[1 + (at >> 1)]!)
        if (status === 200) {
          exported++
          exportBytes += bytes
        }
      }
    })
    await sleep(1_000)
    const beside = await quotes(ask, quoting, WINDOW_SECONDS)
    running = false
    await Promise.all(exporting)
    const text = `${exported} exports of ${(exportBytes / exported / 1e6).toFixed(1)} MB`
    say(`quotes beside ${EXPORTS} exports: ${beside.text} (${text})`)

    const before = residentMb(server.pid)
    const statuses = new Map<string, number>()
    const readers: Socket[] = []
    for (let at = 0; at < SLOW_READERS; at++)
      readers.push(await readNothing(server.port, keys[1 + (at % (EXPORTS / 2))]!, statuses))
    const slow = await quotes(ask, quoting, WINDOW_SECONDS)
    const after = residentMb(server.pid)
    for (const socket of readers) socket.destroy()
    const answers = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
    say(
      `quotes beside ${SLOW_READERS} clients that read nothing: ${slow.text}; ${answers}; memory ${before} to ${after} MB`,
    )
    return [
      `| ${QUOTES_PER_SECOND} quotes a second | p50 | p99 | longest | failed | |`,
      '| --- | --- | --- | --- | --- | --- |',
      `| alone | ${alone.cells} | |`,
      `| beside ${EXPORTS} exports | ${beside.cells} | p99 ${(beside.p99 / alone.p99).toFixed(1)} times that alone; ${text} |`,
      `| beside ${SLOW_READERS} clients that read nothing | ${slow.cells} | memory ${before} to ${after} MB; ${answers} |`,
    ].join('\n')
  } finally {
    agent.destroy()
    await server.stop()
  }
}

async function quotes(ask: (path: string, key: string) => Promise<Asked>, key: string, seconds: number) {
  const calls: Promise<Asked>[] = []
  const startedAt = performance.now()
  for (let n = 0; n < seconds * QUOTES_PER_SECOND; n++) {
    const waitMs = startedAt + (n * 1_000) / QUOTES_PER_SECOND - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    calls.push(ask(QUOTE, key))
  }
  const answers = await Promise.all(calls)
  const failed = answers.filter(({ status }) => status !== 200).length
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  const cells = `${[at(0.5), at(0.99), at(1)].map((ms) => `${ms.toFixed(1)} ms`).join(' | ')} | ${failed}`
  return { p99: at(0.99), cells, text: `p50 | p99 | longest | failed: ${cells}` }
}

function get(agent: Agent, port: number, path: string, key: string): Promise<Asked> {
  const startedAt = performance.now()
  return new Promise((done, failed) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, headers: { 'x-api-key': key } }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.once('end', () => done({ status: answer.statusCode ?? 0, bytes, ms: performance.now() - startedAt }))
      answer.once('error', failed)
    })
    sent.once('error', failed)
    sent.end()
  })
}

/** A client that asks for large responses and reads its first bytes only. */
async function readNothing(port: number, key: string, statuses: Map<string, number>): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  // Repeated fields take the connection to Node's parser, which starts all requests at once.
  const one = `GET ${LARGE} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nAccept: a\r\nAccept: b\r\n\r\n`
  socket.write(one.repeat(REQUESTS_OF_A_READER))
  socket.once('data', (chunk: Buffer) => {
    socket.pause()
    const status = chunk.toString('latin1').slice(9, 12)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  return socket
}
