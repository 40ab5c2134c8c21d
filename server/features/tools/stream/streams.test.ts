import { request as httpRequest, type IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestKey } from '../../../testing/factories.ts'
import type { CreditRule } from '../define-tool.ts'
import { operation } from '../testing/body-tools.ts'
import { startToolServer, type ToolServer } from '../testing/tool-server.ts'
import { runStream } from './run-stream.ts'

let server: ToolServer
let key: TestKey
let source: PassThrough
beforeAll(async () => {
  server = await startToolServer()
})
beforeEach(async () => {
  key = await server.key({ credits: 100 })
  source = new PassThrough()
})
afterAll(() => server?.close())

const events: CreditRule = { kind: 'rows', at: '', per: 1, credits: 1, most: 50 }
async function publish(credits: CreditRule, type = 'text/event-stream', streamMs = 60_000, headers = {}) {
  await server.deps.tools.replace('upstreams', [
    operation('stream', () => ({ status: 200, headers: { 'content-type': type, ...headers }, stream: source }), {
      credits,
      streamMs,
    }),
  ])
}
const open = (headers: Record<string, string> = {}) =>
  fetch(`${server.url}/v1/acme/stream`, { headers: { 'x-api-key': key.value, ...headers } })
const held = async () =>
  (
    await server.db.pool.query('select from_credits::int as amount from credit_holds where account_id = $1', [
      key.accountId,
    ])
  ).rows
const settled = (credits: number, failedRows = 0) =>
  expect
    .poll(() => server.spending(key.accountId))
    .toEqual({ rows: 1, failedRows, credits })
    .then(async () => expect(await held()).toEqual([]))

test('the most is held before the first byte, and what was delivered is charged at the end', async () => {
  await publish(events)
  const answer = await open()
  expect([answer.headers.get('x-credits-held'), answer.headers.has('x-credits-charged')]).toEqual(['50', false])
  expect(await held()).toEqual([{ amount: 50 }])
  source.end('data: {"a":1}\n\ndata: {"a":2}\n\n: comment\n\ndata: [DONE]\n\n')
  expect(await answer.text()).toBe('data: {"a":1}\n\ndata: {"a":2}\n\n: comment\n\ndata: [DONE]\n\n')
  await settled(2)
})

test.each([
  [{ kind: 'rows', at: '/items', per: 2, credits: 1, most: 9 }, '{"items":[1,2]}\n{"items":[3]}\n{"x":1}', 2],
  [{ kind: 'unit', at: '/total', per: 10, credits: 1, most: 9 }, '{"total":11}\n{"total":35}\n{"total":12}\n', 4],
  [{ kind: 'unit', header: 'x-tokens', per: 10, credits: 1, most: 9 }, 'x', 3],
  [{ kind: 'kib', credits: 1, most: 9 }, 'x'.repeat(2000), 2],
  [{ kind: 'kib', credits: 1, most: 9 }, 'x'.repeat(20_000), 9],
  [{ kind: 'fixed', credits: 7 }, 'x', 7],
] as const)('a stream priced by %o', async (rule, text, credits) => {
  await publish(rule, 'application/x-ndjson', 60_000, { 'x-tokens': '21' })
  const answer = await open()
  // Divided within a line.
  source.write(text.slice(0, 8))
  source.end(text.slice(8))
  expect(await answer.text()).toBe(text)
  await settled(credits)
})

const counted = { kind: 'rows', at: '/items', per: 2, credits: 1, most: 9 } as const
const total = { kind: 'unit', at: '/total', per: 10, credits: 1, most: 9 } as const
test.each([
  ['no array', counted, '{"data":[1,2,3]}\n', 9],
  ['no rows', counted, '{"items":[]}\n{"done":true}\n', 0],
  ['a line that is too long to be read', counted, `{"items":[1]}\n{"items":[2],"x":"${'x'.repeat(1_100_000)}"}\n`, 9],
  ['no report', total, '{"word":1}\n', 9],
  ['a report of nothing', total, '{"word":1}\n{"total":0}\n', 0],
  ['no report, which is free', { ...total, missing: 0 }, '{"word":1}\n', 0],
  ['nothing', total, '', 0],
] as const)('a stream with %s', async (_, rule, text, credits) => {
  await publish(rule, 'application/x-ndjson')
  const answer = await open()
  source.end(text)
  expect(await answer.text()).toBe(text)
  await settled(credits)
})

test('a customer who chose another shape, and leaves, pays the most', async () => {
  await publish(counted, 'application/x-ndjson')
  source.write('{"data":[1,2,3]')
  await leave()
  await settled(9)
})

const pretty = JSON.stringify({ items: [1, 2, 3], total: 30 }, null, 2)
const rows = { kind: 'rows', at: '/items', per: 2, credits: 1, most: 9 } as const
test.each([
  [rows, pretty, 2],
  [{ kind: 'unit', at: '/total', per: 10, credits: 1, most: 9 } as const, pretty, 3],
  [rows, pretty.slice(0, -1), 9],
  [rows, '', 0],
])('a stream of neither events nor lines is read as a whole: %o of %j', async (rule, text, credits) => {
  await publish(rule, 'application/json')
  const answer = await open()
  source.write(text.slice(0, 8))
  source.end(text.slice(8))
  expect(await answer.text()).toBe(text)
  await settled(credits)
})

test('leaving it before the last byte costs the most; when the upstream breaks off, it is free', async () => {
  await publish(rows, 'application/json')
  source.write(pretty.slice(0, -1))
  await leave()
  await settled(9)
  key = await server.key({ credits: 100 })
  source = new PassThrough()
  const answer = await open()
  source.write(pretty.slice(0, -1))
  const reader = answer.body!.getReader()
  await reader.read()
  source.destroy(new Error('reset'))
  await expect(reader.read()).rejects.toThrow()
  await settled(0, 1)
})

test('each stream is charged, also under the same Idempotency-Key', async () => {
  await publish(events)
  for (const rows of [1, 2]) {
    const answer = await open({ 'idempotency-key': 'k' })
    source.end('data: 1\n\n')
    await answer.text()
    await expect.poll(() => server.spending(key.accountId)).toEqual({ rows, failedRows: 0, credits: rows })
    source = new PassThrough()
  }
})

test('with Finmeter-Trailer, the final charge is the last event or line', async () => {
  await publish(events)
  const first = await open({ 'finmeter-trailer': 'on' })
  source.end('data: 1\n\n')
  const receipt = first.headers.get('x-receipt-id')
  expect(receipt).toMatch(/^rcps_/)
  expect(await first.text()).toBe(
    `data: 1\n\nevent: finmeter\ndata: {"credits_charged":1,"credits_remaining":99,"receipt_id":"${receipt}"}\n\n`,
  )
  source = new PassThrough()
  await publish(events, 'application/x-ndjson')
  const second = await open({ 'finmeter-trailer': 'on' })
  source.end('{"a":1}')
  expect(await second.text()).toMatch(/^\{"a":1\}\n\{"finmeter":\{"credits_charged":1,"credits_remaining":98,/)
})

test('a settlement whose answer was lost is repeated, and the final charge is that of the first attempt', async () => {
  const receiptId = (await server.deps.db.pool.query('select gen_random_uuid()::text as id')).rows[0].id
  const outcomes = [
    () => Promise.reject(new Error('the answer was lost')),
    async () => ({ kind: 'replayed', receiptId, creditsCharged: 0, creditsRemaining: 93, unlimited: false }) as const,
  ]
  const headers = { 'content-type': 'application/x-ndjson' }
  const tool = operation('stream', () => ({ status: 200, headers, stream: source }), {
    credits: { kind: 'fixed', credits: 7 },
    streamMs: 60_000,
  })
  const caller = { ...key, bucket: 0 } as unknown as Parameters<typeof runStream>[3]
  const { output, settled } = runStream(server.deps, tool, { status: 200, headers, stream: source }, caller, true, () =>
    outcomes.shift()!(),
  )
  source.end('{"a":1}\n')
  const text = (await (output as unknown as { stream: PassThrough }).stream.toArray()).join('')
  expect(text).toContain('{"finmeter":{"credits_charged":7,"credits_remaining":93,')
  expect(await settled).toMatchObject({ creditsCharged: 7 })
})

test('the receipt of a stream is kept, though the database fails after the charge', async () => {
  await publish(events)
  await server.db.pool.query('alter table stream_receipts rename to stream_receipts_away')
  const answer = await open()
  source.end('data: 1\n\n')
  const ended = answer.text()
  await settled(1)
  await server.db.pool.query('alter table stream_receipts_away rename to stream_receipts')
  await ended
  const id = answer.headers.get('x-receipt-id')!.slice('rcps_'.length)
  const { rowCount } = await server.db.pool.query('select from stream_receipts where id = $1', [id])
  expect(rowCount).toBe(1)
})

/** Sends the request, and leaves after the first bytes. */
const leave = () =>
  new Promise<void>((resolve, reject) => {
    const sent = httpRequest(`${server.url}/v1/acme/stream`, { headers: { 'x-api-key': key.value } }, (answer) => {
      answer.once('data', () => {
        sent.destroy()
        resolve()
      })
    })
    sent.on('error', reject)
    sent.end()
  })

test('a customer who leaves pays for what was delivered, and the upstream is closed', async () => {
  await publish(events)
  source.write('data: 1\n\ndata: 2\n\n')
  await leave()
  await settled(2)
  await expect.poll(() => source.destroyed).toBe(true)
})

test.each([
  [events, 1, 0],
  [{ kind: 'fixed', credits: 7 } as const, 0, 1],
])('an upstream that breaks off: %o costs %i', async (rule, credits, failed) => {
  await publish(rule)
  const answer = await open()
  source.write('data: 1\n\n')
  const reader = answer.body!.getReader()
  await reader.read()
  source.destroy(new Error('reset'))
  await expect(reader.read()).rejects.toThrow()
  await settled(credits, failed)
})

test('an upstream that only closes, without an end, broke off too', async () => {
  await publish({ kind: 'fixed', credits: 7 })
  const answer = await open()
  source.write('data: 1\n\n')
  const reader = answer.body!.getReader()
  await reader.read()
  source.destroy()
  await expect(reader.read()).rejects.toThrow()
  await settled(0, 1)
})

const report = { kind: 'unit', at: '/usage/total', per: 10, credits: 1, most: 9 } as const
const words = 'data: {"word":"one"}\n\ndata: {"word":"two"}\n\n'
test.each([
  ['the most', report, words, 9],
  ['the floor', { ...report, floor: 2 }, words, 2],
  ['what was reported, if it is more', { ...report, floor: 2 }, `${words}data: {"usage":{"total":45}}\n\n`, 5],
  ['a floor of 0', { ...report, floor: 0 }, words, 0],
] as const)('a customer who leaves before the report at the end pays %s', async (_, rule, text, credits) => {
  await publish(rule)
  source.write(text)
  await leave()
  await settled(credits)
})

test.each([
  ['the limit', 500],
  ['the upstream, tired of waiting,', 60_000],
])('a customer who stops reading until %s ends it has left', async (_, streamMs) => {
  await publish(report, 'text/event-stream', streamMs)
  // Reads nothing after the headers.
  const answer = await new Promise<IncomingMessage>((done) =>
    httpRequest(`${server.url}/v1/acme/stream`, { headers: { 'x-api-key': key.value } }, done).end(),
  )
  let pausedAtMs = Number.POSITIVE_INFINITY
  source.on('pause', () => {
    pausedAtMs = performance.now()
  })
  // More than the system's buffers ever take, whenever they grow; the bytes are the same ones and not copied.
  const many = Buffer.alloc(64 * 1024, words)
  for (let piece = 0; piece < 1_000; piece++) source.write(many)
  if (streamMs > 500) {
    await expect.poll(() => performance.now() - pausedAtMs).toBeGreaterThan(5_100)
    source.destroy(new Error('the client does not read'))
  }
  await settled(9)
  answer.destroy()
})

test('while the upstream is at work, its break-off is still free', async () => {
  await publish(report)
  const answer = await open()
  source.write(words)
  const reader = answer.body!.getReader()
  await reader.read()
  source.destroy(new Error('reset'))
  await expect(reader.read()).rejects.toThrow()
  await settled(0, 1)
})

test('a server that stops charges what was reported, not the most', async () => {
  await publish(report)
  server.deps.service.draining = true
  source.write(`${words}data: {"usage":{"total":15}}\n\n`)
  await leave()
  await settled(2)
  server.deps.service.draining = false
})

test('a stream that lasts too long is ended and settled', async () => {
  await publish(events, 'text/event-stream', 200)
  // Before the stream begins: on a busy machine, the client has its headers only when it is over.
  source.write('data: 1\n\n')
  await expect(open().then((answer) => answer.text())).rejects.toThrow()
  await settled(1)
})

test('a tool may not stream without a highest price', async () => {
  await expect(publish({ kind: 'rows', at: '', per: 1, credits: 1 })).rejects.toThrow('a stream needs a highest price')
})
