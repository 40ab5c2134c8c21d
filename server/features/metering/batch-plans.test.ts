import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeBatch, newBatchId } from './batch.ts'
import { BatchConnection, openCommitSession } from './batch-connection.ts'
import { call, type MeterFixture, meterFixture, type TestAccount } from './testing/meter-fixture.ts'

const timeouts = { connectMs: 60_000, lockMs: 60_000, statementMs: 60_000, answerMs: 120_000 }
const MANY = 5_000
const COMMITS = 20

let fixture: MeterFixture
let account: TestAccount
beforeAll(async () => {
  fixture = await meterFixture()
  account = await fixture.account(1_000)
})
afterAll(() => fixture.close())

test('PostgreSQL plans a statement of commits once, however often it runs', async () => {
  const { searchPath, connectionString } = fixture.db.of(account.bucket).session
  const client = await openCommitSession(searchPath, { connectionString }, timeouts, () => {})
  try {
    for (let i = 0; i < 8; i++)
      await client.query({
        name: 'of_one',
        text: 'select balance from credit_accounts where account_id = $1',
        values: [i],
      })
    const { rows } = await client.query(
      `select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = 'of_one'`,
    )
    expect(rows).toEqual([{ generic: 8, custom: 0 }])
  } finally {
    await client.end()
  }
})

test('a plan that was made while the tables were small does not stay: commits read no other accounts when they have grown', async () => {
  const { pool, session } = fixture.db.of(account.bucket)
  await pool.query('vacuum analyze credit_accounts, meter_keys')
  const connection = new BatchConnection(() => session, timeouts, 0)
  await commit(connection)
  await pool.query(
    `insert into credit_accounts (account_id) select 100000 + n from generate_series(1, ${MANY}) n;
     insert into meter_keys (key_id, account_id) select 100000 + n, 100000 + n from generate_series(1, ${MANY}) n`,
  )
  await commit(connection)
  // PostgreSQL counts what a session has read when it ends, if not before.
  await connection.close()
  const count = async () =>
    (
      await pool.query<{ updates: number; reads: number }>(
        `select sum(n_tup_upd) filter (where relname = 'credit_accounts')::int as updates, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as reads
         from pg_stat_user_tables where schemaname = current_schema() and relname in ('credit_accounts', 'meter_keys')`,
      )
    ).rows[0]!
  await expect.poll(async () => (await count()).updates, { timeout: 60_000 }).toBeGreaterThanOrEqual(2 * COMMITS)
  expect((await count()).reads).toBeLessThan(10 * COMMITS)
})

/** Commits batches of one call. */
async function commit(connection: BatchConnection): Promise<void> {
  const pending = {
    kind: 'call' as const,
    call: call(account),
    idempotencyKey: undefined,
    request: undefined,
    answer: undefined,
    arrivedAtMs: 0,
    resolve: () => {},
    reject: () => {},
  }
  const queue = { accountId: account.accountId, waiting: [], inFlight: true, creditsChanged: false }
  for (let i = 0; i < COMMITS; i++)
    expect(await connection.send(newBatchId(), encodeBatch([{ queue, calls: [pending] }]))).toMatchObject({
      outcomes: null,
    })
}
