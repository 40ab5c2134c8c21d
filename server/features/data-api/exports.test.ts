import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { startMetrics } from '#server/metrics/start-metrics.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'

const EXPORT = '/v1/bars/BTC-USD?interval=1m&range=max&limit=500000&format=ndjson'
const LARGE = '/v1/bars/BTC-USD?interval=1m&range=max&limit=10000&format=json'

let server: TestServer
const opened: Socket[] = []
beforeAll(async () => {
  server = await startTestServer({ env: { EXPORTS_AT_ONCE: '1', SHED_UNSENT_MB: '8', EXPORT_WAIT_SECONDS: '300' } })
})
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await expect.poll(() => server.deps.exports.figures()).toEqual({ running: 0, waiting: 0 })
  await expect.poll(() => server.deps.pressure.unsentBytes()).toBe(0)
})
afterAll(() => server?.close())

const makeKey = () => makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000_000)
const charges = async (accountId: string): Promise<number> =>
  (
    await server.db.pool.query<{ n: number }>(
      'select count(*)::int as n from usage_events e join accounts a on a.id = e.account_id where a.public_id = $1',
      [accountId],
    )
  ).rows[0]!.n

const requests = (path: string, key: string, more = '', times = 1): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n${more}\r\n`.repeat(times)

/** Asks on a connection that stops reading after the first bytes of the response. */
async function ask(text: string): Promise<Socket> {
  const socket = connect(server.deps.config.PORT, '127.0.0.1')
  opened.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  socket.once('data', () => socket.pause())
  return socket
}

test.each([
  ['our reader', ''],
  ["Node's reader", 'Accept: a\r\nAccept: b\r\n'],
])('exports wait for their turn, and a client that leaves the queue pays nothing: %s', async (_what, more) => {
  const { figures } = server.deps.exports
  const [first, second, third] = [await makeKey(), await makeKey(), await makeKey()]
  const sending = await ask(requests(EXPORT, first.key, more))
  await once(sending, 'data')
  expect(figures()).toEqual({ running: 1, waiting: 0 })
  const leaving = await ask(requests(EXPORT, second.key, more))
  await expect.poll(figures).toEqual({ running: 1, waiting: 1 })
  const staying = await ask(requests(EXPORT, third.key, more))
  await expect.poll(figures).toEqual({ running: 1, waiting: 2 })
  // Calls do not wait.
  const quote = await fetch(`${server.url}/v1/quotes?symbols=AAPL`, { headers: { 'x-api-key': second.key } })
  expect(quote.status).toBe(200)
  leaving.destroy()
  const answered = once(staying, 'data')
  sending.destroy()
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200 OK/)
  expect(await charges(first.accountId)).toBe(1)
  expect(await charges(second.accountId)).toBe(1)
  expect(await charges(third.accountId)).toBe(1)
})

test('large responses that nobody reads are refused beyond their limit, before they are charged, and counted', async () => {
  const { accountId, key } = await makeKey()
  const other = await makeKey()
  const { pressure } = server.deps
  const before = pressure.shed().large
  const shed = () => pressure.shed().large - before
  const large = () => fetch(`${server.url}${LARGE}`, { headers: { 'x-api-key': key } })
  // Node's parser starts pipelined requests at once, so more waits than the buffers of the system hold.
  const twelve = requests(LARGE, key, 'Accept: a\r\nAccept: b\r\n', 12)
  for (let at = 0; at < 4; at++) await ask(twelve)
  let asked = 48
  const allDone = () => expect.poll(async () => (await charges(accountId)) + shed()).toBe(asked)
  await allDone()
  let refused = await large()
  // Those that were refused while others were at work left room in the buffers. Asked for again, they fill it.
  for (asked++; refused.status === 200; asked++) {
    await refused.arrayBuffer()
    opened[0]!.write(twelve)
    asked += 12
    await allDone()
    refused = await large()
  }
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(shed()).toBeGreaterThan(1)
  expect(shed()).toBeLessThan(asked)
  expect(pressure.unsentBytes()).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(await refused.json()).toMatchObject({
    code: 'overloaded',
    detail: 'The server is busy. Nothing was charged. Try again shortly.',
  })
  const fine = await fetch(`${server.url}${LARGE}`, { headers: { 'x-api-key': other.key } })
  expect(fine.status).toBe(200)
  await fine.arrayBuffer()

  const port = await freePort()
  const stop = await startMetrics(server.deps, port)
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await stop()
  expect(metrics).toContain(`finmeter_shed_calls_total{cost="large"} ${pressure.shed().large}`)
  expect(metrics).toMatch(/^finmeter_unsent_bytes [1-9]/m)
})
