import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from './invariants.ts'
import { countSessions } from './testing/count-sessions.ts'
import { call, type MeterFixture, meterFixture, recorded } from './testing/meter-fixture.ts'

let fixture: MeterFixture
let dir: string

beforeAll(async () => {
  fixture = await meterFixture()
  dir = await mkdtemp(join(tmpdir(), 'finmeter-killed-'))
})
afterAll(async () => {
  await fixture.close()
  await rm(dir, { recursive: true })
})

const script = join(import.meta.dirname, 'testing/commit-until-killed.ts')

test('a server is killed under load, three times: every call of another server on its account is charged once', async () => {
  const { meter } = await fixture.instance()
  const account = await fixture.account(1_000_000)
  const receipts: string[] = []
  let stopped = false
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const outcome = await meter.commit(call(account))
      if (outcome.kind !== 'charged') throw new Error(`a call was ${outcome.kind}`)
      receipts.push(outcome.receiptId)
    }
  }
  const loops = Promise.all(Array.from({ length: 32 }, loop))
  const written = (): string => readFileSync(join(dir, 'receipts'), 'utf8')
  writeFileSync(join(dir, 'receipts'), '')
  for (let round = 0; round < 3; round++) {
    const { accountId, bucket, keyId } = account
    const before = written().length
    const child = spawn(process.execPath, [script, fixture.url, dir, ...[accountId, bucket, keyId].map(String)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(child, 'close')
    await expect.poll(() => written().length).toBeGreaterThan(before + 20_000)
    child.kill('SIGKILL')
    await ended
  }
  stopped = true
  await loops
  // PostgreSQL may still be at the last batch.
  await expect
    .poll(() => countSessions(fixture.db, 'pid', `application_name = 'finmeter-meter' and state = 'active'`))
    .toBe(0)
  const theirs = written().trimEnd().split('\n')
  expect(new Set([...receipts, ...theirs]).size).toBe(receipts.length + theirs.length)
  // Of the killed server, at most its 16 calls in flight have a row and no receipt, each time.
  const { success, charged } = await recorded(fixture, account.accountId)
  expect(charged).toBe(success)
  expect(success - receipts.length - theirs.length).toBeGreaterThanOrEqual(0)
  expect(success - receipts.length - theirs.length).toBeLessThanOrEqual(3 * 16)
  const { rows } = await fixture.db.pool.query('select batch::text, n from usage_events where account_id = $1', [
    account.accountId,
  ])
  expect(rows).toHaveLength(success)
  expect(meter.figures()).toMatchObject({ waiting: 0, unavailable: 0 })
  expect(await checkInvariants(fixture.db)).toEqual([])
})
