import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { startJobs } from './jobs.ts'
import { closeAfterTests } from './testing/close-after-tests.ts'
import { startTestServer } from './testing/harness.ts'

const one = await closeAfterTests(startTestServer({ env: { LOG_LEVEL: 'silent' } }))
const two = await closeAfterTests(startTestServer({ env: { LOG_LEVEL: 'silent' }, databaseUrl: one.databaseUrl }))

const ask = async (text: string): Promise<number> => (await one.db.pool.query(text)).rows[0]?.n
const untilIdle = () =>
  vi.waitFor(async () => expect(await ask('select count(*)::int as n from graphile_worker._private_jobs')).toBe(0), {
    timeout: 60_000,
    interval: 50,
  })

/** How often this process, which runs both servers, sent a statement that only one job sends. */
async function timesSent(mark: string, work: () => Promise<void>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return (query.mock.calls as unknown[][]).filter(([statement]) => JSON.stringify(statement).includes(mark)).length
  } finally {
    query.mockRestore()
  }
}

test('of two servers, one runs each job', async () => {
  const jobs = await Promise.all([startJobs(one.deps), startJobs(two.deps)])
  try {
    const runs = await timesSent('grant %s: remaining %s of %s, ledger %s', async () => {
      await ask(`select count(graphile_worker.add_job('check_invariants'))::int as n from generate_series(1, 30)`)
      await untilIdle()
    })
    expect(runs).toBe(30)
  } finally {
    await Promise.all(jobs.map((running) => running.stop()))
  }
})

test('jobs missed while no server ran are run once, even if servers start together', async () => {
  await ask(
    `update graphile_worker._private_known_crontabs set known_since = now() - interval '1 day', last_execution = null where identifier = 'compact_usage'`,
  )
  let jobs: { stop: () => Promise<void> }[] = []
  const runs = await timesSent('delete from \\"usage_hourly\\"', async () => {
    jobs = await Promise.all([startJobs(one.deps), startJobs(two.deps)])
    await vi.waitFor(
      async () =>
        expect(
          await ask(
            `select count(*)::int as n from graphile_worker._private_known_crontabs where identifier = 'compact_usage' and last_execution is not null`,
          ),
        ).toBe(1),
      { timeout: 60_000, interval: 50 },
    )
    await untilIdle()
    await Promise.all(jobs.map((running) => running.stop()))
  })
  expect(runs).toBe(1)
})
