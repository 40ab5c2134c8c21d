import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { temporaryFolder } from '../../../testing/temporary-folder.ts'
import { archiveUsage } from '../../archive/archive-usage.ts'
import { callInThePast } from '../../archive/testing/past-calls.ts'
import { buyCredits } from '../../billing/testing/billing.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { encodeReceiptId } from '../../metering/receipt-id.ts'
import type { CreditRule } from '../../tools/define-tool.ts'
import { bodyPrice } from '../../tools/price.ts'
import { personWithTwoKeys } from '../../usage/testing/person-with-two-keys.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const folder = temporaryFolder()
const server = await closeAfterTests(
  startTestServer({ env: { SANDBOX: 'on', USAGE_ARCHIVE: folder, USAGE_HOT_DAYS: '35' } }),
)
const query = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

let operator: TestOperator
let customer: Awaited<ReturnType<typeof personWithTwoKeys>>
const explain = async (id: string) => operator.call('GET', `/receipts/${id}`)
/** Receipts of the customer, newest first. */
const receipts = async (): Promise<{ id: string }[]> => (await customer.get('/api/usage/receipts?limit=100')).receipts

beforeAll(async () => {
  operator = await openConsole(server, 'viewer')
  customer = await personWithTwoKeys(server)
})

test('a call explains its charge: rule, units, grants before and after, and the calls of its settlement', async () => {
  await buyCredits(server, customer.person, 1)
  // One of the 1,000 free credits is left for the last of these calls.
  await customer.spend(0, { credits: 900 })
  await settleAccounts(server.db)
  for (const credits of [40, 59]) await customer.spend(1, { credits })
  await customer.spend(null, { credits: 3 })
  const [last, second] = await receipts()
  const waiting = (await explain(last!.id)).body.data
  expect([waiting.settlement, waiting.from_credits]).toEqual([null, 3])
  await settleAccounts(server.db)

  const { data } = (await explain(last!.id)).body
  const [invoice] = await query('select id, number from invoices where account_id = $1 and topup_id is not null', [
    customer.accountId,
  ])
  expect(data).toMatchObject({
    id: last!.id,
    customer: { owner_email: customer.person.email, unlimited: false },
    key: null,
    tool: 'get_bars',
    status: 'success',
    credits: 3,
    from_credits: 3,
    from_payg: 0,
    restored_credits: 0,
    archived: false,
    idempotency: null,
    reports: [],
  })
  expect(data.balance_before - data.balance_after).toBe(3)
  expect(data.settlement.calls).toBe(3)
  const [bought] = await query(`select amount from credit_grants where account_id = $1 and kind = 'topup'`, [
    customer.accountId,
  ])
  expect(data.settlement.burned).toMatchObject([
    { grant_kind: 'free', credits: 100, before: 100, after: 0, invoice_id: null },
    {
      grant_kind: 'topup',
      credits: 2,
      before: bought.amount,
      after: bought.amount - 2,
      invoice_id: invoice.id,
      invoice_number: invoice.number,
    },
  ])
  // As plain SQL has it.
  const [ledger] = await query(
    `select sum(-delta)::int as burned from credit_ledger where account_id = $1 and kind = 'debit' and id = any($2)`,
    [customer.accountId, data.settlement.burned.map(({ ledger_id }: { ledger_id: number }) => ledger_id)],
  )
  expect(ledger.burned).toBe(40 + 59 + 3)
  const withKey = await explain(second!.id)
  expect(withKey.body.data.key).toMatchObject({ name: 'Second', masked: expect.stringMatching(/^fm_\w{5}\.\.\.$/) })
  expect(withKey.body.data.settlement.burned).toEqual(data.settlement.burned)
})

test('a price that today’s rule cannot give is said, and a variable one names what it counted', async () => {
  const paged = server.deps.tools.current().all.find(({ tool }) => 'perRows' in tool.credits)!
  const fixed = server.deps.tools
    .current()
    .all.find(({ tool }) => tool.credits.kind === 'fixed' && tool.credits.credits === 1)!
  const rule = paged.tool.credits as { credits: number; perRows: number }
  await customer.spend(0, { toolId: paged.id, credits: 3 * rule.credits })
  await customer.spend(0, { toolId: fixed.id, credits: 7 })
  await customer.spend(0, { toolId: fixed.id, credits: 1 })
  await customer.spend(0, { toolId: fixed.id, credits: 0, status: 'failed' })
  const prices = []
  for (const { id } of (await receipts()).slice(0, 4)) prices.push((await explain(id)).body.data.price)
  expect(prices).toMatchObject([
    { text: '1 credit per call', since: expect.any(String), fits: true, units: null },
    { text: '1 credit per call', fits: true, units: null },
    { text: '1 credit per call', fits: false, units: null },
    {
      fits: true,
      units: {
        name: 'rows',
        from: 2 * rule.perRows + 1,
        to: 3 * rule.perRows,
        stored: false,
        portions: 3,
        credits_each: 1,
      },
    },
  ])
})

test('a call over HTTP stores its rows, and the receipt gives exactly these', async () => {
  const { body } = await customer.person.call('POST', '/api/keys', { body: { name: 'Third' } })
  const answer = await fetch(`${server.url}/v1/bars/AAPL?limit=7`, { headers: { 'x-api-key': body.data.apiKey.unkey } })
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1'])
  const { price } = (await explain(answer.headers.get('x-receipt-id')!)).body.data
  expect(price).toMatchObject({ fits: true, units: { name: 'rows', from: 7, to: 7, stored: true, portions: 1 } })
})

/** Prices in words, what was counted, the charge, and what the receipt says of it. */
const cases: [CreditRule, number | undefined, number, unknown][] = [
  [{ kind: 'rows', credits: 1, perRows: 100 }, 257, 3, { name: 'rows', from: 257, to: 257, portions: 3 }],
  [
    { kind: 'rows', at: '/items', per: 100, credits: 2, most: 40 },
    5000,
    40,
    { from: 5000, portions: 50, credits_each: 2 },
  ],
  [{ kind: 'rows', at: '/items', per: 100, credits: 2, most: 40 }, undefined, 40, { from: 0, to: 0, portions: 0 }],
  [{ kind: 'unit', at: '/n', per: 10, credits: 1, most: 9, floor: 2 }, 3, 2, { name: 'units', from: 3, portions: 1 }],
  [{ kind: 'unit', header: 'x-n', per: 1000, credits: 2, most: 40 }, 2000.5, 6, { from: 2001, portions: 3 }],
  [{ kind: 'kib', credits: 1, most: 9 }, 1.5, 2, { name: 'KiB', from: 2, portions: 2 }],
  [{ kind: 'fixed', credits: 3 }, 4, 12, { name: 'calls', from: 4, portions: 4, credits_each: 3 }],
]
test.each(cases)('%o, of which %s were counted, is %i credits', async (rule, units, credits, said) => {
  const [{ id: toolId }] = await query('insert into tools (name) values (gen_random_uuid()) returning id')
  await query(
    `insert into tool_prices (tool_id, since, rule, text) values ($1, app_now() - interval '1 day', $2, '')`,
    [toolId, JSON.stringify(rule)],
  )
  await customer.spend(0, { toolId, credits, units })
  const { price } = (await explain((await receipts())[0]!.id)).body.data
  expect(price).toMatchObject({ fits: true, units: { stored: true, ...(said as object) } })
})

test('whatever is counted of whatever price, the receipt computes the charge from it', async () => {
  const per = fc.integer({ min: 1, max: 5000 })
  const credits = fc.integer({ min: 1, max: 20 })
  const most = fc.integer({ min: 1, max: 500 })
  const anyRule: fc.Arbitrary<CreditRule> = fc.oneof(
    fc.record({ kind: fc.constant('rows' as const), at: fc.constant('/rows'), per, credits, most }),
    fc.record({ kind: fc.constant('unit' as const), at: fc.constant('/n'), per, credits, most }),
    fc.record({ kind: fc.constant('kib' as const), credits, most }),
  )
  await fc.assert(
    fc.asyncProperty(anyRule, fc.integer({ min: 0, max: 3000 }), async (rule, n) => {
      const body = Buffer.from(JSON.stringify(rule.kind === 'rows' ? { rows: Array(n).fill(0) } : { n: n / 2 }))
      const counted = bodyPrice(rule, { status: 200, headers: {}, body })
      const [{ id: toolId }] = await query('insert into tools (name) values (gen_random_uuid()) returning id')
      await query(
        `insert into tool_prices (tool_id, since, rule, text) values ($1, app_now() - interval '1 day', $2, '')`,
        [toolId, JSON.stringify(rule)],
      )
      const outcome = await customer.spend(0, { toolId, ...counted })
      const { data } = (await explain((outcome as { receiptId: string }).receiptId)).body
      const exact = rule.kind === 'rows' ? n : rule.kind === 'unit' ? Math.ceil(n / 2) : Math.ceil(body.length / 1024)
      const { units, fits } = data.price
      expect([fits, units.from, units.to]).toEqual([true, exact, exact])
      expect(data.credits).toBe(Math.min(units.portions * units.credits_each, 'most' in rule ? rule.most! : Infinity))
    }),
    { numRuns: 40 },
  )
})

test('a call is explained by the price of its time, also when the tool is gone; older ones by the price of today', async () => {
  const fixed = server.deps.tools.current().get('convert_currency')!
  await customer.spend(0, { toolId: fixed.id, credits: 4 })
  const { id } = (await receipts())[0]!
  const priceOf = async (one = id) => (await explain(one)).body.data.price
  const put = (credits: number, ago: string, toolId = fixed.id) =>
    query(
      `insert into tool_prices (tool_id, since, rule, text) values ($1, app_now() - $2::interval, jsonb_build_object('kind', 'fixed', 'credits', $3::int), $4)`,
      [toolId, ago, credits, `${credits} credits per call`],
    )
  await query('delete from tool_prices where tool_id = $1', [fixed.id])
  expect(await priceOf()).toMatchObject({ text: '1 credit per call', since: null, fits: false })
  await put(4, '1 day')
  expect(await priceOf()).toMatchObject({ text: '4 credits per call', since: expect.any(String), fits: true })
  // Servers take over a price within seconds: of two that may have been in force, the one that gives the charge.
  await put(9, '1 second')
  expect(await priceOf()).toMatchObject({ text: '4 credits per call', fits: true })
  const [gone] = await query(`insert into tools (name) values ('gone_tool') returning id`)
  await put(2, '2 days', gone.id)
  await put(3, '1 day', gone.id)
  await customer.spend(0, { toolId: gone.id, credits: 3 })
  expect(await priceOf((await receipts())[0]!.id)).toMatchObject({ text: '3 credits per call', fits: true })
})

test('a call in the archive is explained as before, but for what rows alone can count', async () => {
  await callInThePast(server, {
    60: [{ accountId: customer.accountId, keyId: null, credits: 2, units: 1500 }],
    2: [{ accountId: customer.accountId, keyId: null, credits: 4, units: 300 }],
  })
  await settleAccounts(server.db)
  const { id } = (await receipts()).at(-1)!
  const before = (await explain(id)).body.data
  await archiveUsage(server.deps)
  const after = (await explain(id)).body.data
  expect(before.archived).toBe(false)
  expect(after).toEqual({
    ...before,
    archived: true,
    settlement: before.settlement && { ...before.settlement, calls: null },
  })
})

test('what is no receipt, and one that no call has, are missing with a message', async () => {
  const none = encodeReceiptId({ batch: '0b0e6b4e-9d0d-4a8e-9d0b-1f6a3c1d2e3f', n: 1, atMicros: 1_764_000_000_000_000 })
  for (const [id, message] of [
    [none, 'No call has this receipt.'],
    ['rcpt_x', 'is not a receipt'],
  ] as const) {
    const { status, body } = await explain(id)
    expect([status, body.code, body.error]).toEqual([404, 'not_found', expect.stringContaining(message)])
  }
})
