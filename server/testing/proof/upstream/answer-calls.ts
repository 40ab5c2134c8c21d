/**
 * The upstream of the proof, as a process of its own: `node answer-calls.ts PORT FILE`. FILE gets the idempotency key of each order
 * when it is carried out, so that it is still known after a kill. Messages from the parent say how calls are answered from now on.
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Manner } from './start-upstream.ts'

const [, , port, file] = process.argv
let manner: Manner = 'well'

const between = (least: number, most: number): number => least + Math.floor(Math.random() * (most - least + 1))

/** The pieces in which an answer is written, with its type. */
function answerOf(method: string, { pathname, searchParams }: URL): { type: string; pieces: string[] } {
  const count = Number(searchParams.get('count'))
  const all = Array.from({ length: count }, (_, n) => n)
  if (pathname === '/ticks')
    return { type: 'application/x-ndjson', pieces: all.map((n) => `${JSON.stringify({ tick: n })}\n`) }
  if (pathname === '/news')
    return { type: 'text/event-stream', pieces: all.map((n) => `data: ${JSON.stringify({ news: n })}\n\n`) }
  const value = method === 'POST' ? { order: randomUUID() } : pathname === '/search' ? { items: all } : { price: 1.5 }
  const text = JSON.stringify(value)
  const half = text.length >> 1
  return { type: 'application/json', pieces: [text.slice(0, half), text.slice(half)] }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method!
  if (method === 'POST') appendFileSync(file!, `${request.headers['idempotency-key'] ?? 'none'}\n`)
  if (manner === 'silent') return
  const { type, pieces } = answerOf(method, new URL(request.url!, 'http://upstream'))
  const isStream = type !== 'application/json'
  const bytes = Buffer.byteLength(pieces.join(''))
  const said = manner === 'lying' ? bytes + between(0, 1) * 20 - 7 : bytes
  // A body that is shorter than it said either ends with its connection, or never.
  if (manner === 'lying' && between(0, 1) === 0) response.shouldKeepAlive = false
  response.writeHead(method === 'POST' ? 201 : 200, {
    'content-type': type,
    ...((!isStream || manner === 'lying') && { 'content-length': said }),
  })
  response.flushHeaders()
  for (const piece of pieces) {
    if (manner === 'slow') await sleep(isStream ? between(20, 60) : between(20, 1_000))
    else if (isStream) await sleep(1)
    if (response.destroyed) return
    response.write(piece)
  }
  response.end()
}

createServer((request, response) => {
  request.resume().on('end', () => void answer(request, response))
  response.on('error', () => {})
}).listen(Number(port), '127.0.0.1', () => process.send!(manner))
process.on('message', (next: Manner) => {
  manner = next
  process.send!(manner)
})
process.on('disconnect', () => process.exit())
