import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../server/db/database.ts'
import { startEmbedded } from '../server/db/embedded.ts'
import { migrate } from '../server/db/migrate.ts'
import { encodeReceiptId } from '../server/features/metering/receipt-id.ts'
import { foldCalls } from '../server/features/operator/figures/fold-calls.ts'
import { readRecurring } from '../server/features/operator/figures/recurring.ts'
import { findCall } from '../server/features/operator/find-call.ts'
import { readFailedCalls } from '../server/features/usage/failed-calls.ts'
import { fill, flags, questions } from './operator.ts'

const CUSTOMERS = 100_000
const DAYS = 50
/** Calls of one commit. */
const BATCH = 10
const MOST_GB = 30
const RECEIPTS = 20

interface Reading {
  what: string
  /** Rows of calls that one question read, at most. */
  rows: number
  /** Pages of 8 KiB of their tables, at most. */
  pages: number
  ms: number
}

export interface CallsResult {
  calls: number
  seedSeconds: number
  foldSeconds: number
  bytes: number
  readings: Reading[]
  problems: string[]
}

/**
 * Fills a separate PostgreSQL with `calls` calls of 50 days by 100,000 customers, and counts the call rows that each figure and the
 * search for a receipt read, as PostgreSQL itself counts them. A figure may read none.
 */
export async function runOperatorCalls(calls: number, say: (line: string) => void): Promise<CallsResult> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-operator-calls-'))
  const server = await startEmbedded(directory, 'bench', { flags })
  const open = () => openDatabase(server.connectionString, 4, () => {})
  const db = open()
  try {
    await migrate(db)
    await fill(db, CUSTOMERS, say)
    const startedAt = performance.now()
    await fillCalls(db, calls, say)
    const seedSeconds = (performance.now() - startedAt) / 1000
    const foldedAt = performance.now()
    await foldCalls(db)
    const foldSeconds = (performance.now() - foldedAt) / 1000
    const bytes = await bytesOf(db)
    const questions = await asked(db)
    // What these connections have read is counted before anything is asked.
    await db.close()
    const readings = await readAll(open, questions, say)
    return { calls, seedSeconds, foldSeconds, bytes, readings, problems: problemsOf(readings, bytes) }
  } finally {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** A day in a statement, in the order of time as the meter writes them. A few customers make most of the calls. */
async function fillCalls(db: Database, calls: number, say: (line: string) => void): Promise<void> {
  const batches = Math.ceil(calls / DAYS / BATCH)
  const client = await db.pool.connect()
  try {
    await client.query('set search_path = m00, public; truncate usage_events')
    for (let back = DAYS - 1; back >= 0; back--) {
      const day = `((now() at time zone 'UTC')::date - ${back})`
      await client.query(`select usage_partition_create(${day})`)
      await client.query(`
        insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
        select 1 + floor(power(random(), 3) * ${CUSTOMERS})::bigint, at, null, batch, n, 1, 1 + floor(random() * 200)::int,
          case when ok then 1 else 0 end, 0, ok
        from (select gen_random_uuid() as batch, ${day}::timestamp at time zone 'UTC' + b * interval '1 day' / ${batches} as at
            from generate_series(0, ${batches - 1}) b offset 0) made,
          generate_series(1, ${BATCH}) n, lateral (select random() > 0.01 and n > 0 as ok) drawn`)
      if (back % 10 === 0) say(`seeded: ${DAYS - back} of ${DAYS} days`)
    }
    await client.query('vacuum analyze usage_events')
    await client.query('reset search_path')
  } finally {
    client.release()
  }
}

/** Of the calls with their indexes. */
async function bytesOf(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = 'm00.usage_events'::regclass`,
  )
  return Number(rows[0]!.bytes)
}

type Ask = (db: Database) => (round: number) => Promise<unknown>

async function asked(db: Database): Promise<Record<string, Ask>> {
  const { rows } = await db.pool.query<{ micros: string; batch: string; n: number }>(
    `select (extract(epoch from at) * 1000000)::bigint as micros, batch, n from m00.usage_events tablesample system (1) order by random() limit ${RECEIPTS}`,
  )
  const ids = rows.map(({ micros, batch, n }) => encodeReceiptId({ atMicros: Number(micros), batch, n }))
  const known = Object.keys(await questions(db, CUSTOMERS)).filter((name) => !/^(search|list|receipt)/.test(name))
  const figures = known.map((name): [string, Ask] => [
    name,
    (fresh) => async (round) => (await questions(fresh, CUSTOMERS))[name]!(round),
  ])
  return {
    ...Object.fromEntries(figures),
    'recurring revenue': (fresh) => () => readRecurring(fresh.kysely, { rates: [] }, null),
    'failing calls': (fresh) => () => readFailedCalls(fresh.kysely, 24),
    ...Object.fromEntries(
      ids.map((id, index): [string, Ask] => [
        `receipt ${index + 1}`,
        (fresh) => () => findCall(fresh.kysely, id, null, { compare: false }),
      ]),
    ),
  }
}

async function readAll(
  open: () => Database,
  questions: Record<string, Ask>,
  say: (line: string) => void,
): Promise<Reading[]> {
  const db = open()
  const readings: Reading[] = []
  while ((await connections(db, [])).length > 1);
  for (const [what, ask] of Object.entries(questions)) {
    readings.push({ what, ...(await reading(db, open, ask)) })
    say(`${what}: ${readings.at(-1)!.rows} rows of calls`)
  }
  await db.close()
  return readings
}

/** A connection tells what it has read before it is gone. */
async function reading(db: Database, open: () => Database, ask: Ask): Promise<Omit<Reading, 'what'>> {
  const before = await counters(db)
  const others = await connections(db, [])
  const fresh = open()
  const startedAt = performance.now()
  await ask(fresh)(0).finally(() => fresh.close())
  const ms = performance.now() - startedAt
  while ((await connections(db, others)).length > 0);
  const after = await counters(db)
  return { rows: after.rows - before.rows, pages: after.pages - before.pages, ms }
}

async function connections(db: Database, except: number[]): Promise<number[]> {
  const { rows } = await db.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type in ('client backend', 'parallel worker')
       and pid <> all ($1)`,
    [except],
  )
  return rows.map(({ pid }) => pid)
}

async function counters(db: Database): Promise<{ rows: number; pages: number }> {
  const { rows } = await db.pool.query<{ rows: string; pages: string }>(
    `select sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0)) as rows, sum(i.heap_blks_read + i.heap_blks_hit) as pages
     from pg_stat_user_tables t join pg_statio_user_tables i using (relid) where t.schemaname = 'm00' and t.relname like 'usage_events%'`,
  )
  return { rows: Number(rows[0]!.rows), pages: Number(rows[0]!.pages) }
}

const isReceipt = ({ what }: Reading): boolean => what.startsWith('receipt')

function problemsOf(readings: Reading[], bytes: number): string[] {
  return [
    ...readings.filter((one) => !isReceipt(one) && one.rows > 0).map(({ what, rows }) => `${what} read ${rows} calls`),
    // A receipt that was found was read.
    ...readings.filter((one) => isReceipt(one) && one.rows === 0).map(({ what }) => `${what} was not counted`),
    ...(bytes > MOST_GB * 1e9 ? [`the calls take ${(bytes / 1e9).toFixed(1)} GB, more than ${MOST_GB}`] : []),
  ]
}

/** What was measured, in words and a table. */
export function operatorCallsMarkdown({ calls, seedSeconds, foldSeconds, bytes, readings }: CallsResult): string {
  const receipts = readings.filter(isReceipt)
  const most = (value: (one: Reading) => number) => Math.max(...receipts.map(value)).toLocaleString('en-US')
  return [
    `${calls.toLocaleString('en-US')} calls of ${DAYS} days by ${CUSTOMERS.toLocaleString('en-US')} customers: seeded in ${seedSeconds.toFixed(0)} s, ${(bytes / 1e9).toFixed(2)} GB with indexes (${Math.round(bytes / calls)} bytes each). The job that folds figures reads the calls of its day once: ${foldSeconds.toFixed(1)} s.`,
    '',
    '| Question | Calls read | Pages of calls |',
    '| --- | ---: | ---: |',
    ...readings.filter((one) => !isReceipt(one)).map(({ what, rows, pages }) => `| ${what} | ${rows} | ${pages} |`),
    `| receipt without its account, the most of ${receipts.length} | ${most(({ rows }) => rows)} | ${most(({ pages }) => pages)} |`,
  ].join('\n')
}
