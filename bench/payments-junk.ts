import { encoded, startPaidWorld } from '../server/features/agent-payments/testing/paid-world.ts'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import { start, stopAll } from './child.ts'
import { startFinmeter } from './finmeter.ts'
import type { Slice } from './wire.ts'

const PATH = '/v1/quotes?symbols=AAPL'
const CALLS_PER_SECOND = 200
const JUNK_PER_SECOND = 500
const SECONDS = 20
/** Each address may send 600 requests a minute: from these, most of the junk is within its limit, and is read. */
const ADDRESSES = 60

/** Calls with a key, alone and beside payments that nobody signed, at steady rates. A table in Markdown. */
export async function runPaymentsJunk(say: (line: string) => void): Promise<string> {
  const world = await startPaidWorld()
  const server = await startFinmeter([], undefined, async (env) => {
    Object.assign(env, world.env, { TRUST_PROXY: '127.0.0.1/32,::1/128' })
  })
  try {
    const { db, secrets } = server.connection
    const { key } = await makeLoadTestAccount(db.kysely, secrets, 1_000_000)
    const request = (headers: string) => `GET ${PATH} HTTP/1.1\r\nHost: localhost:${server.port}\r\n${headers}\r\n\r\n`
    const send = (requests: string[], perSecond: number) =>
      start<Slice>('generators/steady.ts', {
        port: server.port,
        requests,
        perSecond,
        seconds: SECONDS,
        connections: 32,
      })
    const calls = () => send([request(`X-API-Key: ${key}`)], CALLS_PER_SECOND)
    const junk = Array.from({ length: ADDRESSES }, (_, n) => {
      const payment = encoded({ x402Version: 2, accepted: {}, payload: { signature: '0x', junk: 'x'.repeat(n * 50) } })
      return request(`X-Forwarded-For: 198.51.100.${n}\r\nPAYMENT-SIGNATURE: ${payment}`)
    })
    await calls()
    say('calls alone ...')
    const alone = await calls()
    say('calls beside junk ...')
    const [beside, wasted] = await Promise.all([calls(), send(junk, JUNK_PER_SECOND)])
    if (wasted.refused < wasted.answered) throw new Error('Junk was served.')
    const line = (name: string, slice: Slice) =>
      `| ${name} | ${slice.answered} | ${slice.refused + slice.broken} | ${slice.p50Ms.toFixed(1)} | ${slice.p99Ms.toFixed(1)} |`
    return [
      `| ${CALLS_PER_SECOND} calls a second with a key | Answered | Not served | p50, ms | p99, ms |`,
      '| --- | ---: | ---: | ---: | ---: |',
      line('alone', alone),
      line(`beside ${JUNK_PER_SECOND} unsigned payments a second`, beside),
    ].join('\n')
  } finally {
    await stopAll()
    await server.stop()
    await world.stop()
  }
}
