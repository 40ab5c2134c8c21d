import { createServer } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Deps } from './deps.ts'

/** Serves /metrics on loopback at `port`, apart from the public listener; returns the function that stops it. */
export async function startMetrics(deps: Deps, port: number): Promise<() => Promise<void>> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'finmeter_' })
  new Gauge({
    name: 'finmeter_listener_connected',
    help: '1 while this instance hears revocations; at 0 it caches no key.',
    registers: [registry],
    collect() {
      this.set(deps.listener.connected ? 1 : 0)
    },
  })
  new Gauge({
    name: 'finmeter_limits_shared',
    help: '1 while rate limits are counted in Redis; 0 while Redis does not answer and each instance counts for itself.',
    registers: [registry],
    collect() {
      if (deps.limiter.shared !== null) this.set(deps.limiter.shared ? 1 : 0)
    },
  })
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done))
  return () => new Promise((done) => server.close(() => done()))
}
