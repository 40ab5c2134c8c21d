import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { buyCredits, passTime, settleBilling } from '../../billing/testing/billing.ts'
import { openConsole } from '../testing/console.ts'
import { foldFigures } from './fold-figures.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))

test('a dispute that is heard of before its payment is one of the pack', async () => {
  const finance = await openConsole(server, 'finance')
  const get = async (path: string) => (await finance.call('GET', `/finance/${path}`)).body.data
  await buyCredits(server, await startSession(server), 1)
  await buyCredits(server, await startSession(server), 1, { card: 'pm_card_createDispute' })
  await settleBilling(server)
  await passTime(server, 3_600)
  await foldFigures(server.db)

  const { rows } = await get('revenue')
  expect(rows.map(({ source, received, disputed }: Record<string, unknown>) => [source, received, disputed])).toEqual([
    ['pack', 400, 200],
  ])
  const { entries } = await get('refunds')
  expect(entries).toEqual([
    expect.objectContaining({ cause: 'dispute', source: 'pack', label: 'Credit packs', cents: 200 }),
  ])
  // As plain SQL has it: two packs of 10,000 credits, one of which went back.
  const sums = await server.db.pool.query(
    `select sum(sold)::int as sold, sum(taken_back)::int as taken_back, sum(returned_disputed)::int as returned,
       sum(forfeited)::int as forfeited, sum(sold - earned - lapsed - returned - returned_disputed - forfeited)::int as owed from operator_daily`,
  )
  expect(sums.rows[0]).toEqual({ sold: 400, taken_back: 10_000, returned: 200, forfeited: 0, owed: 200 })
  const { lines } = await get('journal')
  const total = lines.reduce((sum: number, { debit, credit }: Record<string, number>) => sum + debit! - credit!, 0)
  expect(total).toBe(0)
  expect(lines.filter(({ account }: { account: string }) => account.includes('orrection'))).toEqual([])
})
