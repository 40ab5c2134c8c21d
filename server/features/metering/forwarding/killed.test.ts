import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../invariants.ts'
import { testOwner, testSecret } from '../testing/forwarding.ts'
import { call, type MeterFixture, meterFixture, recorded } from '../testing/meter-fixture.ts'

let fixture: MeterFixture

beforeAll(async () => {
  fixture = await meterFixture()
})
afterAll(() => fixture.close())

const script = join(import.meta.dirname, '../testing/commit-until-killed.ts')

test('the process that commits is killed under load, three times: every call of the sender is charged once', async () => {
  const place = await testOwner()
  const { meter } = await fixture.instance({ forwarding: place.sender() })
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
  let printed = ''
  for (let round = 0; round < 3; round++) {
    const { accountId, bucket, keyId } = account
    const about = [fixture.url, place.dir, place.path, testSecret.key.toString('hex'), accountId, bucket, keyId]
    const child = spawn(process.execPath, [script, ...about.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    const ended = new Promise((done) => child.on('close', done))
    const before = meter.figures().forwarded
    await expect.poll(() => meter.figures().forwarded, { timeout: 30_000 }).toBeGreaterThan(before + 500)
    child.kill('SIGKILL')
    await ended
  }
  stopped = true
  await loops
  const theirs = printed.split('\n').filter((line) => line.length === 'rcpt_'.length + 35)
  expect(new Set([...receipts, ...theirs]).size).toBe(receipts.length + theirs.length)
  // Of the killed process, at most its 16 calls in flight have a row and no receipt, each time.
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
  place.close()
}, 120_000)
