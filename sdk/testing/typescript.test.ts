import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { Client, Finmeter, FinmeterError, type Receipt } from '../typescript/src/finmeter.gen.ts'
import * as operations from '../typescript/src/operations.gen.ts'
import { openFaultRelay } from './fault-relay.ts'

const server = await closeAfterTests(startToolServer(productTools))
const relay = await openFaultRelay(server.url)
beforeEach(() => {
  relay.next(() => 'pass')
  relay.seen.length = 0
})
afterAll(async () => {
  await relay?.close()
})

async function client(credits: number, options: Partial<ConstructorParameters<typeof Finmeter>[0]> = {}) {
  // As of a shop that chose its own prefix.
  const { value, accountId } = await server.key({ credits, prefix: 'nw_' })
  return { finmeter: new Finmeter({ key: value, url: relay.url, ...options }), accountId }
}
/** The error of a call that must fail. */
const errorOf = (call: PromiseLike<unknown>): Promise<FinmeterError> =>
  Promise.resolve(call).then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error as FinmeterError,
  )
/** Each request gets the next of these faults, then none. */
const inOrder = (...list: Parameters<typeof relay.next>[0] extends (path: string) => infer F ? F[] : never) => {
  relay.next(() => list.shift() ?? 'pass')
}

test('every operation is called, and its receipt adds up', async () => {
  const receipts: [string, Receipt][] = []
  const { finmeter, accountId } = await client(10_000, {
    onReceipt: (receipt, operation) => receipts.push([operation, receipt]),
  })
  const called = new Set<string>()
  for (const { tool } of server.deps.tools.current().all.filter((one) => one.tool.rest)) {
    const method = tool.name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    const example = Object.fromEntries(
      Object.entries(tool.example ?? {}).map(([name, value]) => [tool.rest?.names?.[name] ?? name, value]),
    )
    const call = Reflect.get(finmeter, method) as (input: object) => PromiseLike<{ receipt: Receipt }>
    const { receipt } = await call.call(finmeter, example)
    expect([tool.name, receipt.id]).toEqual([tool.name, expect.any(String)])
    called.add(method)
  }
  expect([...called].sort()).toEqual(Object.keys(operations).sort())
  expect(receipts.map(([operation]) => operation)).toHaveLength(called.size)
  const { credits, rows } = await server.spending(accountId)
  expect(credits).toBe(receipts.reduce((sum, [, { creditsCharged }]) => sum + creditsCharged, 0))
  expect(rows).toBe(called.size)
  expect(receipts.at(-1)![1].creditsRemaining).toBe(10_000 - credits)
})

test('rows are typed objects, and the page says how to continue', async () => {
  const { finmeter } = await client(100)
  const page = await finmeter.getBars({ symbol: 'VIX', range: '1mo', limit: 5 })
  const [first] = page.rows
  const close: number = first!.close
  expect(close).toBeGreaterThan(0)
  expect(page.rows).toHaveLength(5)
  expect(page.columns).toEqual(['date', 'open', 'high', 'low', 'close', 'volume'])
  expect(page.meta).toMatchObject({ symbol: 'VIX', row_count: 5 })
  expect(page.nextCursor).toEqual(expect.any(String))
  expect(page.receipt).toMatchObject({ creditsCharged: 1, creditsRemaining: 99, id: expect.any(String) })
})

test('awaiting a call twice sends it once', async () => {
  const { finmeter, accountId } = await client(100)
  const call = finmeter.getBars({ symbol: 'VIX', limit: 2 })
  expect(relay.seen).toHaveLength(0)
  expect(await call).toBe(await call)
  expect(await server.spending(accountId)).toMatchObject({ rows: 1, credits: 1 })
})

/** GE has 13,450 daily bars; without a limit the server returns 1,000, and never more than 10,000 in one JSON answer. */
const history = { symbol: 'GE', range: 'max' } as const
async function iterate(limit: number | undefined, pages: boolean) {
  const receipts: Receipt[] = []
  const { finmeter, accountId } = await client(1_000, { onReceipt: (receipt) => receipts.push(receipt) })
  let rows = 0
  const all = { ...history, ...(limit !== undefined && { limit }) }
  const error = await (async () => {
    for await (const _ of finmeter.getBars(all, { pages })) rows += 1
  })().catch((failed: FinmeterError) => failed)
  const kept = await server.spending(accountId)
  expect(receipts.reduce((sum, { creditsCharged }) => sum + creditsCharged, 0)).toBe(kept.credits)
  return { rows, calls: kept.rows, receipts: receipts.length, credits: kept.credits, error }
}

test.each([
  // limit, pages, rows, calls, credits
  [5, false, 5, 1, 1],
  [1_000, false, 1_000, 1, 1],
  [1_001, false, 1_001, 1, 2],
  [10_000, false, 10_000, 1, 10],
  [undefined, false, 1_000, 1, 1],
  [5, true, 5, 1, 1],
  [1_000, true, 1_000, 1, 1],
  [10_000, true, 10_000, 1, 10],
  [12_000, true, 12_000, 2, 12],
  [1_000_000, true, 13_450, 2, 14],
  [undefined, true, 13_450, 2, 14],
])('iterating with limit %s, pages %s: %i rows in %i paid calls', async (limit, pages, rows, calls, credits) => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await iterate(limit, pages)).toEqual({ rows, calls, receipts: calls, credits, error: undefined })
})

test.each([
  [0, false],
  [-1, false],
  [12_000, false],
  [0, true],
  [-1, true],
])('iterating with limit %i, pages %s is refused and costs nothing', async (limit, pages) => {
  const refusal = { code: 'invalid_parameter', status: 400, message: expect.stringContaining('limit') }
  expect(await iterate(limit, pages)).toMatchObject({ rows: 0, calls: 0, receipts: 0, error: refusal })
})

test('only rows that nobody left out on purpose are warned of', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  warned.mockClear()
  await iterate(5, false)
  await iterate(undefined, true)
  expect(warned).not.toHaveBeenCalled()
  await iterate(undefined, false)
  expect(warned.mock.calls).toEqual([
    ['get_bars: there are more than these 1000 rows. Set limit, or pages: true for all of them.'],
  ])
})

test('awaiting and iterating over the same call is one paid call', async () => {
  const { finmeter, accountId } = await client(100)
  const call = finmeter.getBars({ symbol: 'VIX', limit: 3 })
  const { rows } = await call
  const iterated = []
  for await (const row of call) iterated.push(row)
  expect(iterated).toEqual(rows)
  expect(await server.spending(accountId)).toMatchObject({ rows: 1, credits: 1 })
})

test('a limit on the rows of each symbol is not a limit on all rows, and ends paging, too', async () => {
  const { finmeter, accountId } = await client(100)
  const rows = []
  for await (const row of finmeter.getBarsBatch({ symbols: ['GE', 'SPX'], limit: 3 }, { pages: true })) rows.push(row)
  expect(rows.map(({ symbol }) => symbol)).toEqual(['GE', 'GE', 'GE', 'SPX', 'SPX', 'SPX'])
  expect(await server.spending(accountId)).toMatchObject({ rows: 1 })
})

test('pages come in order, none twice, each with its own idempotency key', async () => {
  const { finmeter } = await client(1_000)
  const dates: string[] = []
  const options = { pages: true, idempotencyKey: 'mine' }
  for await (const { date } of finmeter.getBars({ ...history, columns: ['date'] }, options)) dates.push(date)
  expect(dates).toEqual([...new Set(dates)].sort())
  expect(relay.seen.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['mine', 'mine.2'])
  const sizes: number[] = []
  for await (const page of finmeter.getBars({ ...history, limit: 10_005 }).pages()) sizes.push(page.rows.length)
  expect(sizes).toEqual([10_000, 5])
})

test('a stream delivers what a page does, and a broken one continues where it broke off, for one charge', async () => {
  const { finmeter, accountId } = await client(100)
  const input = { symbol: 'VIX', range: 'max', limit: 4000 } as const
  const { rows, receipt } = await finmeter.getBars(input)
  const { credits } = await server.spending(accountId)
  inOrder('cut', 'refuse', 'cut', 'lose')
  const stream = finmeter.getBars(input).stream()
  const streamed = []
  for await (const row of stream) streamed.push(row)
  expect(streamed).toEqual(rows)
  expect(stream.receipt).toMatchObject({ creditsCharged: receipt.creditsCharged, id: expect.any(String) })
  expect(stream.nextCursor).toEqual(expect.any(String))
  expect((await server.spending(accountId)).credits).toBe(2 * credits)
})

test('a stream that keeps breaking ends with an error', async () => {
  const { finmeter } = await client(100, { retries: 2 })
  relay.next(() => 'cut')
  const read = async () => {
    for await (const _ of finmeter.getBars({ symbol: 'VIX', limit: 100 }).stream());
  }
  expect(await errorOf(read())).toMatchObject({ code: 'connection_failed', status: 0 })
})

test('CSV has a header line and a receipt', async () => {
  const { finmeter } = await client(10)
  const { text, receipt, nextCursor } = await finmeter.getBars({ symbol: 'VIX', limit: 2 }).csv()
  expect(text.split('\r\n')).toHaveLength(4)
  expect(text).toMatch(/^date,open,high,low,close,volume\r\n/)
  expect([receipt.creditsCharged, nextCursor]).toEqual([1, expect.any(String)])
})

test('a dry run says what a call costs, and charges nothing', async () => {
  const { finmeter, accountId } = await client(10)
  expect(await finmeter.getBars({ symbol: 'VIX', limit: 1500, range: 'max' }).dryRun()).toMatchObject({
    rows: 1500,
    credits: 2,
  })
  expect(await finmeter.dryRun(operations.getStatus, {})).toMatchObject({ rows: 1, credits: 0 })
  expect(
    await finmeter.dryRun(operations.priceOption, { type: 'put', spot: 9, strike: 9, rate: 0, days: 9, volatility: 1 }),
  ).toMatchObject({ credits: 1 })
  expect(await server.spending(accountId)).toMatchObject({ rows: 0, credits: 0 })
})

test('a wrong parameter is an error with its name and what is allowed, and is not repeated', async () => {
  const { finmeter } = await client(10)
  const error = await errorOf(finmeter.getBars({ symbol: 'VIX', range: '2mo' as '1mo' }))
  expect(error).toBeInstanceOf(FinmeterError)
  expect(error).toMatchObject({ code: 'invalid_parameter', status: 400, problem: { param: 'range' } })
  expect(error.problem.allowed).toContain('1mo')
  expect(relay.seen).toHaveLength(1)
})

test('402 is not repeated', async () => {
  const { finmeter } = await client(0)
  expect(await errorOf(finmeter.getBars({ symbol: 'VIX' }))).toMatchObject({
    code: 'insufficient_credits',
    status: 402,
  })
  expect(relay.seen).toHaveLength(1)
})

test('a refusal that breaks off is asked for again, so that its code arrives', async () => {
  const { finmeter } = await client(0)
  inOrder('cut')
  expect(await errorOf(finmeter.getBars({ symbol: 'VIX' }))).toMatchObject({
    code: 'insufficient_credits',
    status: 402,
  })
  expect(relay.seen).toHaveLength(2)
})

test('429 is an error with the time to wait, if that is longer than the caller waits', async () => {
  const { value } = await server.key({ credits: 10, rateLimit: 1 })
  const finmeter = new Finmeter({ key: value, url: relay.url, maxWaitMs: 0 })
  expect((await finmeter.getBars({ symbol: 'VIX' })).receipt.rateLimit).toMatchObject({ remaining: 0 })
  const error = await errorOf(finmeter.getBars({ symbol: 'VIX' }))
  expect(error).toMatchObject({ code: 'rate_limited', status: 429 })
  expect(error.retryAfterSeconds).toBeGreaterThan(0)
})

test('429 is waited for, however often, until the time that the server names', async () => {
  vi.useFakeTimers()
  try {
    const sentAtMs: number[] = []
    const limited = Response.json(
      { code: 'rate_limited', detail: 'Wait.' },
      { status: 429, headers: { 'retry-after': '7' } },
    )
    const answers = [...Array.from({ length: 6 }, () => limited.clone()), Response.json({ data: { status: 'ok' } })]
    const fake = async () => {
      sentAtMs.push(Date.now())
      return answers.shift()!
    }
    const call = new Finmeter({ key: 'k', fetch: fake as typeof fetch }).getStatus()
    await vi.runAllTimersAsync()
    expect((await call).data).toEqual({ status: 'ok' })
    const waits = sentAtMs.slice(1).map((at, index) => at - sentAtMs[index]!)
    expect(waits).toHaveLength(6)
    for (const wait of waits) expect(Math.floor(wait / 1000)).toBe(7)
  } finally {
    vi.useRealTimers()
  }
})

test('while an earlier attempt is still in progress, the call waits for its answer', async () => {
  const answers = [
    Response.json({ code: 'conflict', detail: 'Still under way.' }, { status: 409, headers: { 'retry-after': '0' } }),
    Response.json({ data: { status: 'ok' } }),
  ]
  const fake = async () => answers.shift()!
  const finmeter = new Finmeter({ key: 'k', fetch: fake as typeof fetch })
  expect((await finmeter.getStatus()).data).toEqual({ status: 'ok' })
  expect(answers).toEqual([])
})

test('503 is repeated, and in the end an error with its code', async () => {
  const { finmeter, accountId } = await client(10, { retries: 2 })
  relay.next(() => 'busy')
  const error = await errorOf(finmeter.getBars({ symbol: 'VIX' }))
  expect(error).toMatchObject({ code: 'metering_unavailable', status: 503 })
  expect(relay.seen).toHaveLength(3)
  expect(new Set(relay.seen.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([error.idempotencyKey]))
  expect(await server.spending(accountId)).toMatchObject({ rows: 0 })
})

test.each(['refuse', 'lose', 'cut', 'busy', 'limit', 'gateway', 'twice'] as const)(
  'one charge and one answer after: %s',
  async (fault) => {
    const { finmeter, accountId } = await client(10)
    inOrder(fault)
    const { rows, receipt } = await finmeter.getBars({ symbol: 'VIX', limit: 3 })
    expect([rows.length, receipt.id]).toEqual([3, expect.any(String)])
    expect(await server.spending(accountId)).toMatchObject({ rows: 1, credits: 1 })
  },
)

test('a call without an answer can be repeated with the key in its error, for no second charge', async () => {
  const { finmeter, accountId } = await client(10, { retries: 0 })
  inOrder('lose')
  const error = await errorOf(finmeter.getBars({ symbol: 'VIX', limit: 3 }))
  expect(error.code).toBe('connection_failed')
  const { idempotencyKey } = error
  const { receipt } = await finmeter.getBars({ symbol: 'VIX', limit: 3 }, { idempotencyKey })
  expect(receipt.creditsCharged).toBe(0)
  expect(await server.spending(accountId)).toMatchObject({ rows: 1, credits: 1 })
})

test('a server that does not answer is a time-out; an aborted call stops at once, also while it waits', async () => {
  const silent: typeof fetch = (_url, init) =>
    new Promise((_, fail) => init?.signal?.addEventListener('abort', () => fail(new Error('aborted'))))
  const finmeter = new Finmeter({ key: 'k', fetch: silent, timeoutMs: 20, retries: 0 })
  expect(await errorOf(finmeter.getStatus())).toMatchObject({ code: 'timed_out' })
  const abort = new AbortController()
  const waiting = errorOf(new Finmeter({ key: 'k', fetch: silent }).getStatus({}, { signal: abort.signal }))
  abort.abort('enough')
  expect(await waiting).toBe('enough')

  const { finmeter: patient } = await client(10)
  const later = new AbortController()
  relay.next(() => {
    later.abort('stop')
    return 'busy'
  })
  expect(await errorOf(patient.getBars({ symbol: 'VIX' }, { signal: later.signal }))).toBe('stop')
  expect(relay.seen).toHaveLength(1)
})

test("an error in the caller's own function is not repeated", async () => {
  const { finmeter } = await client(10, {
    onReceipt: () => {
      throw new SyntaxError('mine')
    },
  })
  await expect(finmeter.getBars({ symbol: 'VIX' }).then()).rejects.toThrow('mine')
  await expect(finmeter.getStatus()).rejects.toThrow('mine')
  expect(relay.seen).toHaveLength(2)
})

test('symbols are escaped, and a missing one is named before anything is sent', async () => {
  const { finmeter } = await client(10)
  const error = await errorOf(finmeter.getBars({ symbol: 'A/B?c=1#d' }))
  expect([error.code, relay.seen[0]!.path.split('?')[0]]).toEqual(['unknown_symbol', '/v1/bars/A%2FB%3Fc%3D1%23d'])
  await expect(async () => finmeter.getBars({ symbol: '' })).rejects.toThrow('get_bars: symbol is required.')
})

test('operations given as values work without the class of all methods', async () => {
  const { value } = await server.key({ credits: 10 })
  const small = new Client({ key: value, url: server.url })
  expect((await small.table(operations.getQuote, { symbols: ['VIX'] })).rows).toHaveLength(1)
  expect((await small.value(operations.getStatus, {})).data.status).toBe('ok')
})
