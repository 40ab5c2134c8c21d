import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * - `pass`: nothing happens
 * - `refuse`: the connection ends before the request reaches the server
 * - `lose`: the server answers, but the connection ends before the answer arrives
 * - `cut`: the connection ends in the middle of the answer
 * - `busy`, `limit`: 503 or 429 without reaching the server
 * - `gateway`: the server answers, but a 502 of a proxy arrives
 * - `twice`: the request reaches the server twice at the same time
 */
export const faults = ['refuse', 'lose', 'cut', 'busy', 'limit', 'gateway', 'twice'] as const
export type Fault = (typeof faults)[number] | 'pass'

/** A network in front of the server that fails as `next` says. */
export interface FaultRelay {
  url: string
  /** Requests that arrived, with their idempotency keys. */
  seen: { path: string; idempotencyKey: string }[]
  next: (fault: (path: string) => Fault) => void
  close: () => Promise<void>
}

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

export async function openFaultRelay(target: string): Promise<FaultRelay> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const seen: FaultRelay['seen'] = []
  let choose: (path: string) => Fault = () => 'pass'

  const forward = (incoming: IncomingMessage, body: Buffer): Promise<Answer> =>
    new Promise((done, fail) => {
      const { method, headers } = incoming
      const outgoing = request(new URL(incoming.url!, target), { method, headers, agent }, async (answer) => {
        done({ status: answer.statusCode!, headers: answer.headers, body: await bytesOf(answer) })
      })
      outgoing.on('error', fail)
      outgoing.end(body)
    })

  async function relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming)
    if (incoming.url === '/faults') return order(JSON.parse(String(body)), outgoing)
    seen.push({ path: incoming.url!, idempotencyKey: String(incoming.headers['idempotency-key']) })
    const fault = choose(incoming.url!)
    if (fault === 'refuse') return void incoming.socket.destroy()
    if (fault === 'busy' || fault === 'limit') return refuse(outgoing, fault === 'busy' ? 503 : 429)
    const duplicate = fault === 'twice' ? forward(incoming, body) : undefined
    const answer = await forward(incoming, body)
    await duplicate
    if (fault === 'lose') return void incoming.socket.destroy()
    if (fault === 'gateway') return void outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>')
    outgoing.writeHead(answer.status, answer.headers)
    if (fault !== 'cut') return void outgoing.end(answer.body)
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => incoming.socket.destroy())
  }

  /** For tests in another language: sets the next faults, and says which idempotency keys arrived since the last order. */
  function order(list: Fault[], outgoing: ServerResponse): void {
    choose = () => list.shift() ?? 'pass'
    outgoing.end(JSON.stringify(seen.splice(0).map(({ idempotencyKey }) => idempotencyKey)))
  }

  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (fault) => {
      choose = fault
    },
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function refuse(outgoing: ServerResponse, status: 429 | 503): void {
  const code = status === 429 ? 'rate_limited' : 'metering_unavailable'
  outgoing
    .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' })
    .end(JSON.stringify({ code, status, detail: 'Wait and try again.', retry_after: 0 }))
}

/** Repeatable faults: about `share` of all requests get one. */
export function randomFaults(seed: number, share: number): () => Fault {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return () => (random() < share ? faults[Math.floor(random() * faults.length)]! : 'pass')
}
