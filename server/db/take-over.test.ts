import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, startTestServer, type TestDatabase } from '#server/testing/harness.ts'
import { call } from '#server/testing/session.ts'
import { checkInvariants } from '../features/metering/invariants.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { describeSchema, hashRows } from './testing/describe-schema.ts'
import { createEmptyDatabase } from './testing/empty-database.ts'

/** Keys of the fixture, as their owners have them. */
const production = 'fm_6VKS5kjvVFvjWneSzzg4XdbETpz2Tkle1gNJcn'
const hobby = 'fm_AASKEHRa3EjLUjjMTxOz2Hv5DiK3wUH603U05C'

let old: TestDatabase
beforeEach(async () => {
  old = await createEmptyDatabase()
  // A separate connection for the dump, which changes the session's search path.
  const client = new pg.Client({ connectionString: old.url })
  await client.connect()
  await client.query(await readFile(join(import.meta.dirname, 'fixtures/release-0.1.0.sql'), 'utf8'))
  await client.end()
})
afterEach(() => old.drop())

test('a database of release 0.1.0 gets the schema of a fresh one and keeps every row', async () => {
  const before = await hashRows(old.db)
  expect(before.credit_accounts).toMatch(/^2 /)
  expect(before.usage_pending).toMatch(/^3 /)
  await migrate(old.db)
  const after = await hashRows(old.db)
  const filled: Record<string, string> = { money_ledger: '2', usage_totals: '1' }
  for (const added of Object.keys(after).filter((table) => !(table in before))) {
    // The figures of the console begin with what was paid and called before.
    expect([added, after[added]!.split(' ', 1)[0]]).toEqual([added, filled[added] ?? '0'])
    delete after[added]
  }
  // These tables gained columns: the bucket, the mailbox of what was redeemed before, how holds end, what a key was charged for, the product of a pack,
  // currencies, taxes, whether an address was proved, and what a price counted.
  for (const hashes of [before, after])
    for (const table of [
      'accounts',
      'auth.users',
      'billing_customers',
      'checkouts',
      'credit_holds',
      'credit_packs',
      'idempotency',
      'invoices',
      'meter_batches',
      'plan_redemptions',
      'plans',
      'subscriptions',
      'topups',
      'usage_events_20261122',
    ])
      hashes[table] = hashes[table]!.split(' ', 1)[0]!
  expect(after).toEqual(before)
  const { rows } = await old.db.pool.query('select count(mailbox_hash)::int as known from plan_redemptions')
  expect(rows).toEqual([{ known: 1 }])
  const { rows: paid } = await old.db.pool.query(
    `select (select array_agg(distinct currency) from invoices) as invoices, (select count(*)::int from invoices where currency is null) as unknown,
       (select array_agg(distinct currency) from billing_customers where currency is not null) as accounts`,
  )
  expect(paid).toEqual([{ invoices: ['usd'], unknown: 0, accounts: ['usd'] }])
  const fresh = await createTestDatabase()
  try {
    expect(await describeSchema(old.db)).toEqual(await describeSchema(fresh.db))
  } finally {
    await fresh.drop()
  }
  expect(await migrate(old.db)).toEqual([])
})

test('calls are charged on it, and a repeat of a call from before is free', async () => {
  // An hour after the dump, because idempotency keys expire after a day.
  await old.db.pool.query(
    `insert into app_clock (offset_by) values (timestamptz '2026-11-23 00:15:00+00' - clock_timestamp())`,
  )
  const server = await startTestServer({ databaseUrl: old.url })
  try {
    const get = async (key: string, headers: Record<string, string> = {}) => {
      const answer = await call(server, 'GET', '/v1/bars/AAPL?range=1mo', {
        headers: { authorization: `Bearer ${key}`, ...headers },
      })
      return [answer.status, answer.headers.get('x-credits-charged'), answer.headers.get('x-credits-remaining')]
    }
    expect(await get(production)).toEqual([200, '1', '109959'])
    expect(await get(hobby)).toEqual([200, '1', '993'])
    expect(await get(production, { 'idempotency-key': 'once-1' })).toEqual([200, '0', '109959'])
    expect(await checkInvariants(server.db)).toEqual([])
  } finally {
    await server.close()
  }
})

test('servers that start together take it over once', async () => {
  const applied = await Promise.all(
    [1, 2, 3].map(async () => {
      const db = openDatabase(old.url, 4, () => {})
      try {
        return (await migrate(db)).length
      } finally {
        await db.close()
      }
    }),
  )
  expect(applied.filter((count) => count > 0)).toHaveLength(1)
  const { rows } = await old.db.pool.query('select name from kysely_migration order by name')
  expect(rows.map(({ name }) => name)).toEqual([
    '0001_clock',
    '0002_auth',
    '0003_accounts',
    '0004_metering',
    '0005_usage',
    '0006_billing',
    '0007_playground',
    '0008_undo',
    '0009_mailboxes',
    '0010_alert_secrets',
    '0011_key_listed',
    '0012_redeemed_mailboxes',
    '0013_webauthn_factors',
    '0014_buckets',
    '0015_bucket_moves',
    '0016_upstreams',
    '0017_kept_answers',
    '0018_service_keys',
    '0019_oauth_devices',
    '0020_upstream_secrets',
    '0021_billing_leases',
    '0024_upstream_servers',
    '0025_shop',
    '0026_operators',
    '0027_figures',
    '0028_find_customers',
    '0029_acts',
    '0030_products',
    '0032_delivery',
    '0033_taxes',
    '0034_currencies',
    '0035_operator_entry',
    '0036_stops_prices_closings',
    '0037_agent_payments',
    '0038_input_of_acts',
    '0040_agent_balances',
    '0042_payments_by_state',
    '0044_view_sessions',
    '0046_tax_totals',
    '0047_portals_and_tax_shares',
    '0049_payments_by_transaction',
  ])
})

test('an older database is refused, with the release that it needs, and stays as it is', async () => {
  await old.db.pool.query(`delete from kysely_migration where name = '0056_playground_definitions'`)
  const before = await describeSchema(old.db)
  await expect(migrate(old.db)).rejects.toThrow(
    'The database cannot be used: it is older than Finmeter 0.1.0 (it lacks migration 0056_playground_definitions). Start release 0.1.0 on it once, then this release.',
  )
  expect(await describeSchema(old.db)).toEqual(before)
})
