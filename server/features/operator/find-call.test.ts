import { expect, test } from 'vitest'
import { runAdmin } from '#server/testing/run-admin.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { settleAccounts } from '../credits/settle.ts'
import { encodeReceiptId } from '../metering/receipt-id.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { actFromCommandLine } from './acts/act-on-account.ts'
import { grant } from './acts/grant.ts'

const server = await closeAfterTests(startToolServer())

const admin = (...words: string[]) => runAdmin(server.databaseUrl, words)
const query = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

/** A call of 3 credits; its receipt, and the remaining credits that its response reported. */
async function call(key: string, headers: Record<string, string> = {}, path = '/v1/test/rows/AAPL') {
  const answer = await fetch(server.url + path, { headers: { 'x-api-key': key, ...headers } })
  return { receipt: answer.headers.get('x-receipt-id')!, left: Number(answer.headers.get('x-credits-remaining')) }
}

/** The lines that the command prints, by name. */
async function shown(receipt: string): Promise<Record<string, string>> {
  const { code, out, err } = await admin('call', receipt)
  expect([code, err]).toEqual([0, ''])
  return Object.fromEntries(
    out
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, 16).trim(), line.slice(17)]),
  )
}

test('a call is shown with its account, key, tool, charge and the balance that its answer named', async () => {
  const key = await server.key({ credits: 100 })
  await call(key.value)
  const { receipt, left } = await call(key.value)
  expect(left).toBe(94)
  // Later calls do not change the description of this one.
  await call(key.value)
  const [account] = await query('select public_id, name from accounts where id = $1', [key.accountId])
  await actFromCommandLine(server.db, account.public_id, { action: 'credits.granted', reason: 'later' }, (tx, found) =>
    grant(tx, found, 1000),
  )
  await call(key.value)
  const found = await shown(receipt)
  expect(found).toMatchObject({
    Receipt: receipt,
    Time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    Account: expect.stringMatching(new RegExp(`^${account.public_id}  ${account.name}  .*accountId ${key.accountId}$`)),
    Key: expect.stringContaining(`keyId ${key.id}`),
    Tool: 'test_rows',
    Arguments: 'not stored',
    Result: 'success',
    Charge: '3 credits (3 from the balance, 0 pay-as-you-go)',
    Balance: "97 before, 94 after (computed backward from today's balance)",
    'Idempotency-Key': 'none, or older than 24 hours',
    Reports: 'none',
    Duration: expect.stringMatching(/^\d+ ms in the tool$/),
    Compared: expect.stringMatching(/^\d+ calls of test_rows in that hour: p50 \d+ ms, p95 \d+ ms, p99 \d+ ms; \d+%/),
    Log: expect.stringContaining('SLOW_CALL_MS'),
  })
  expect(JSON.stringify(found)).not.toContain(key.value)
  expect(await server.invariants()).toEqual([])
})

test('the settlement is named once it has happened, and the balance stays the same', async () => {
  const key = await server.key({ credits: 10 })
  const { receipt } = await call(key.value)
  expect((await shown(receipt)).Settled).toBe('not yet')
  await settleAccounts(server.db)
  const [line] = await query(`select id from credit_ledger where account_id = $1 and kind = 'debit'`, [key.accountId])
  expect(await shown(receipt)).toMatchObject({
    Settled: expect.stringContaining(`by ledger entries ${line.id}, with`),
    Balance: "10 before, 7 after (computed backward from today's balance)",
  })
})

test('an idempotency key is shown, and whether a repeat was answered', async () => {
  const key = await server.key({ credits: 10 })
  const once = { 'idempotency-key': 'order-1' }
  const { receipt } = await call(key.value, once)
  expect((await shown(receipt))['Idempotency-Key']).toBe('sent; not repeated')
  expect((await call(key.value, once)).receipt).toBe(receipt)
  expect((await shown(receipt))['Idempotency-Key']).toBe('sent; a repeat got the response to this charge')
})

test('a failed call, and one whose batch was voided after its settlement', async () => {
  const key = await server.key({ credits: 10 })
  await call(key.value, {}, '/v1/test/failing?mode=throw')
  const [failed] = await query(
    'select batch, (extract(epoch from at) * 1000000)::bigint as at from usage_events where account_id = $1',
    [key.accountId],
  )
  const receiptOfFailed = encodeReceiptId({ batch: failed.batch, n: 1, atMicros: failed.at })
  expect(await shown(receiptOfFailed)).toMatchObject({
    Result: 'failed',
    Charge: '0 credits (0 from the balance, 0 pay-as-you-go)',
    Settled: 'nothing to settle',
  })

  const { receipt } = await call(key.value)
  await settleAccounts(server.db)
  const [{ batch }] = await query('select batch from usage_events where account_id = $1 and success', [key.accountId])
  await query('select meter_void($1)', [batch])
  expect(await shown(receipt)).toMatchObject({
    Result: 'voided: the caller got a 503, because the outcome of the commit was not known in time',
    Charge: '0 credits (0 from the balance, 0 pay-as-you-go)',
    Settled: 'nothing to settle; 3 credits of its batch came back to the account',
  })
})

test('a deleted key and a report of the client are shown, without what a terminal would interpret', async () => {
  const key = await server.key({ credits: 10 })
  const { receipt } = await call(key.value)
  await query('update api_keys set deleted_at = app_now() where id = $1', [key.id])
  await query(
    `insert into usage_reports (account_id, user_id, event, receipt_id, message) values ($1, gen_random_uuid(), 'wrong_data', $2, $3)`,
    [key.accountId, receipt, 'prices\u001b[2J\nReceipt  forged'],
  )
  expect(await shown(receipt)).toMatchObject({
    Key: expect.stringMatching(/deleted \d{4}-/),
    Reports: expect.stringContaining('wrong_data: "prices [2J Receipt  forged"'),
  })
})

test.each([
  [`rcpt_${'A'.repeat(35)}`, 'No call has this receipt.'],
  ['0b0e6b4e-9d0d-4a8e-9d0b-1f6a3c1d2e3f', 'is not a receipt'],
  ["rcpt_'; drop table usage_events; --", 'is not a receipt'],
])('%s: a message, exit code 1', async (receipt, message) => {
  const { code, out, err } = await admin('call', receipt)
  expect([code, out, err]).toEqual([1, '', expect.stringContaining(message)])
})

test('looking changes nothing', async () => {
  const key = await server.key({ credits: 10 })
  const { receipt } = await call(key.value)
  const state = () =>
    query(`select (select count(*) from audit_log) as audits, (select count(*) from usage_events) as calls,
      (select count(*) from credit_ledger) as lines, (select sum(balance) from credit_accounts) as balance`)
  const before = await state()
  await shown(receipt)
  expect(await state()).toEqual(before)
})
