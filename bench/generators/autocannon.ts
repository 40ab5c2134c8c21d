/** Sends an exact number of requests over the given connections and waits for every answer. */
import autocannon from 'autocannon'
import { parseRequest } from '../requests.ts'
import type { Slice } from '../wire.ts'

interface Order {
  port: number
  /** HTTP requests as text. */
  requests: string[]
  amount: number
  connections: number
}

process.once('message', async (message) => {
  const { port, requests, amount, connections } = message as Order
  const parsed = requests.map(parseRequest)
  let next = 0
  let firstAtMs = 0
  let lastAtMs = 0
  // Autocannon's own duration is rounded up to its next tick.
  const nextRequest = (defaults: autocannon.Request): autocannon.Request => {
    lastAtMs = performance.now()
    firstAtMs ||= lastAtMs
    return { ...defaults, ...parsed[next++ % parsed.length]! }
  }
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: Math.min(connections, amount),
    amount,
    timeout: 30,
    requests: [{ setupRequest: nextRequest }],
  })
  const slice: Slice = {
    sent: amount,
    answered: result['2xx'] + result.non2xx,
    refused: result.non2xx,
    broken: result.errors,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    perSecond: (amount / (lastAtMs - firstAtMs)) * 1000,
  }
  process.send?.(slice, () => process.exit())
})
