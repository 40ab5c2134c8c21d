import { expect, test } from 'vitest'
import { homeOf } from '../../db/buckets.ts'
import { endExpiredHolds } from './holds.ts'
import { waitingCommits } from './testing/count-sessions.ts'
import { call, meterFixture, moveClock } from './testing/meter-fixture.ts'

test.each([
  { by: 'be released', terms: {} },
  { by: 'be charged', terms: { onExpiry: 'charge', toolId: 7 } as const },
])('a hold that will $by is not ended early by a sweep that began when the clock was ahead', async ({ terms }) => {
  // A database of its own: its sessions keep no plan with an earlier time of the test's clock.
  const fixture = await meterFixture()
  try {
    const account = await fixture.account(10)
    const { meter } = await fixture.instance()
    const outcome = await meter.hold(account, { most: 6, seconds: 60, ...terms })
    const holdId = outcome?.kind === 'held' ? outcome.id : ''
    const client = await (await homeOf(fixture.db, account.accountId)).pool.connect()
    await client.query(`begin; select 1 from credit_accounts where account_id = ${account.accountId} for update`)
    await moveClock(fixture, '2 minutes')
    const swept = endExpiredHolds(fixture.db)
    await expect.poll(() => waitingCommits(fixture.db)).toBe(1)
    await moveClock(fixture, '0')
    await client.query('commit')
    client.release()
    expect(await swept).toBe(0)
    const settled = await meter.commit(call(account, { credits: 4, holdId }))
    expect(settled).toMatchObject({ kind: 'charged', creditsCharged: 4, creditsRemaining: 6 })
  } finally {
    await fixture.close()
  }
})
