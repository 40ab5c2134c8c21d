import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBalance } from '../credits/balance.ts'
import { endExpiredHolds } from './holds.ts'
import { checkInvariants } from './invariants.ts'
import { decodeReceiptId } from './receipt-id.ts'
import { type MeterFixture, meterFixture, moveClock } from './testing/meter-fixture.ts'

const CREDITS = 1_000_000

let fixture: MeterFixture
beforeAll(async () => {
  fixture = await meterFixture()
})
afterAll(() => fixture.close())

const countHolds = async (): Promise<number> =>
  (await fixture.db.pool.query<{ n: number }>('select count(*)::int as n from credit_holds')).rows[0]!.n

test('kill -9 between holds and settlements: every receipt has its row, and the sweep leaves no hold', async () => {
  const { accountId, bucket, keyId } = await fixture.account(CREDITS)
  const file = join(import.meta.dirname, 'testing/hold-until-killed.ts')
  const child = spawn(
    process.execPath,
    [file, fixture.url, process.env.TMPDIR ?? '/tmp', ...[accountId, bucket, keyId].map(String)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const receipts: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    receipts.push(line)
    // Killed once with holds that wait for their settlement.
    if (receipts.length >= 200 && child.exitCode === null && !child.killed && (await countHolds()) > 0)
      child.kill('SIGKILL')
  }
  if (child.signalCode === null) await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  // PostgreSQL may still be at the last batch.
  await expect
    .poll(
      async () =>
        (
          await fixture.db.pool.query(
            `select from pg_stat_activity where datname = current_database() and application_name = 'finmeter-meter'`,
          )
        ).rowCount,
    )
    .toBe(0)
  expect(await countHolds()).toBeGreaterThan(0)
  expect(await checkInvariants(fixture.db)).toEqual([])
  await moveClock(fixture, '2 minutes')
  await endExpiredHolds(fixture.db)
  expect(await countHolds()).toBe(0)
  const { rows } = await fixture.db.pool.query<{ batch: string; n: number; charged: number }>(
    'select batch, n, from_credits as charged from usage_events where account_id = $1',
    [accountId],
  )
  const recorded = new Set(rows.map(({ batch, n }) => `${batch} ${n}`))
  expect(receipts.map((id) => decodeReceiptId(id)).filter((ref) => !recorded.has(`${ref?.batch} ${ref?.n}`))).toEqual(
    [],
  )
  expect(new Set(receipts).size).toBe(receipts.length)
  expect(rows.every(({ charged }) => charged === 3)).toBe(true)
  expect((await readBalance(fixture.db.kysely, accountId)).remaining).toBe(CREDITS - 3 * rows.length)
  expect(await checkInvariants(fixture.db)).toEqual([])
})
