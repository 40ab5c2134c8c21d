import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { usagePage } from '#server/testing/usage-page.ts'
import { fillUsage } from '#server/testing/usage-rows.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { encodeReceiptId } from '../metering/receipt-id.ts'
import { findCall } from '../operator/find-call.ts'
import { add } from '../tools/basic/add.ts'
import { echo } from '../tools/basic/echo.ts'
import { timestamp } from '../tools/basic/timestamp.ts'
import { createToolRegistry } from '../tools/registry.ts'

/** Query plans must be right for large tables: `USAGE_ROWS=2000000` tests the full size. */
const ROWS = Number(process.env.USAGE_ROWS ?? 200_000)
const A_DAY = 20_000
/** A sequential scan of a smaller table is fine. */
const SMALL = 2_000

let database: TestDatabase
let page: Record<string, () => Promise<unknown>>

beforeAll(async () => {
  database = await createTestDatabase()
  const tools = await createToolRegistry([add, timestamp, echo], database.db)
  const called = ['add', 'timestamp'].map((name) => tools.current().get(name)!.id)
  page = usagePage(
    database.db,
    tools,
    await fillUsage(database.db, { rows: ROWS, days: ROWS / A_DAY, busyEvery: 20, toolIds: called }),
  )
}, 1_200_000)
afterAll(() => database?.drop())

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

const wholeTables = ({ Plans = [], ...node }: Plan): string[] => [
  ...(node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('usage_') ? [node['Relation Name']] : []),
  ...Plans.flatMap(wholeTables),
]

/** The usage queries that a call of `ask` sends. */
async function statementsOf(
  ask: () => Promise<unknown>,
  which = /usage_(events|by_day|by_hour)/,
): Promise<{ text: string; values: unknown[] }[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await ask()
    return (query.mock.calls as unknown as [string | { text: string; values?: unknown[] }, unknown?][])
      .map(([first, second]) =>
        typeof first === 'string' ? { text: first, values: second } : { text: first.text, values: first.values },
      )
      .filter(({ text }) => which.test(text))
      .map(({ text, values }) => ({ text, values: Array.isArray(values) ? values : [] }))
  } finally {
    query.mockRestore()
  }
}

/** Tables that hardly have rows, or none, such as partitions of days to come. */
async function smallTables(): Promise<Set<string>> {
  const { rows } = await database.db.pool.query(
    `select relname from pg_class where relname like 'usage_%' and relkind = 'r' and reltuples < ${SMALL}`,
  )
  return new Set(rows.map(({ relname }) => relname))
}

test('no query of the usage page scans a whole usage table', async () => {
  const small = await smallTables()
  const found: string[] = []
  for (const [name, ask] of Object.entries(page)) {
    const statements = await statementsOf(ask)
    expect([name, statements.length > 0]).toEqual([name, true])
    for (const { text, values } of statements) {
      const { rows } = await database.db.pool.query(`explain (format json) ${text}`, values)
      for (const table of wholeTables(rows[0]['QUERY PLAN'][0].Plan))
        if (!small.has(table)) found.push(`${name}: ${table}`)
    }
  }
  expect(found).toEqual([])
})

test('the look-up of a receipt finds its batch, and what came later, by an index', async () => {
  const { pool, kysely } = database.db
  const { rows: calls } = await pool.query(
    `select batch::text, n, (extract(epoch from at) * 1000000)::bigint as "atMicros", account_id from usage_events order by at desc offset 1000 limit 1`,
  )
  const receipt = encodeReceiptId(calls[0])
  const statements = await statementsOf(() => findCall(kysely, receipt, null, { compare: false }), /usage_|set_config/)
  const client = await pool.connect()
  const scanned: string[] = []
  try {
    await client.query('begin')
    for (const { text, values } of statements) {
      const isSetting = text.includes('set_config')
      const { rows } = await client.query(isSetting ? text : `explain (format json) ${text}`, values)
      if (!isSetting) scanned.push(...wholeTables(rows[0]['QUERY PLAN'][0].Plan))
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
  expect(statements.some(({ text }) => text.includes('and batch = $'))).toBe(true)
  const small = await smallTables()
  expect(scanned.filter((table) => !small.has(table))).toEqual([])
})

test('the generated rows match what commits would write: rows, hours and days agree', async () => {
  const violations = await checkInvariants(database.db)
  // The fixture has no grants, so only the invariant of sums applies.
  expect(violations.filter(({ invariant }) => invariant === 'I4')).toEqual([])
})
