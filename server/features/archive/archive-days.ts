import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PoolClient } from 'pg'
import type { Database } from '../../db/database.ts'
import type { ArchiveStore } from './archive-store.ts'
import { type ArchivedCall, ROWS_PER_GROUP } from './archived-call.ts'
import { countCalls, type DayTotals } from './day-totals.ts'
import { groupsOf, readEnd, readGroup } from './read-file.ts'
import { type WrittenDay, writeDay } from './write-day.ts'

export interface ArchiveParts {
  /** Of one bucket. */
  db: Database
  /** The bucket's schema, such as m00: the folder of its files. */
  bucket: string
  store: ArchiveStore
  /** Whole UTC days, before today, whose rows stay in the database. */
  hotDays: number
  /** Null for a tool that has no name any more. */
  toolName: (toolId: number) => string | null
}

const DRAFT = /^\.m\d+-\d{4}-\d\d-\d\d\..*\.draft$/
const DRAFT_KEPT_MS = 24 * 3_600_000

interface Due {
  day: string
  /** Made by usage_partition_create: usage_events_YYYYMMDD. */
  partition: string
}

/**
 * Moves the days older than `hotDays` from the database to the archive, oldest first: writes a day's rows as one file, reads the file
 * back and compares it, and then, in one transaction, compares the partition once more, records the file and drops the partition.
 * Until that commits, the rows are in the database; a repeated attempt writes the same file again. Rows that arrive for a
 * day afterward stay in the database. Returns the days. Safe at any time and on several instances.
 */
export async function archiveDays(parts: ArchiveParts): Promise<string[]> {
  const { db, store, bucket, hotDays } = parts
  if ((await dueDays(db, hotDays)).length === 0) return []
  const client = await db.pool.connect()
  try {
    // Another instance may be at work here. The session holds this lock: a slow archive must not keep a transaction open.
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(hashtext('archive_usage'), hashtext($1)) as mine`,
      [bucket],
    )
    if (!rows[0]?.mine) return []
    await mkdir(store.draftFolder, { recursive: true, mode: 0o700 })
    await removeOldDrafts(store.draftFolder)
    const done: string[] = []
    for (const due of await dueDays(db, hotDays)) {
      await archiveDay(client, parts, due)
      done.push(due.day)
    }
    return done
  } finally {
    // Closing the session releases the lock, whatever state it is in.
    client.release(true)
  }
}

async function dueDays(db: Database, hotDays: number): Promise<Due[]> {
  const { rows } = await db.pool.query<Due>(
    `select day::text, partition from (
       select c.relname::text as partition, to_date(right(c.relname, 8), 'YYYYMMDD') as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'usage_events'::regclass and c.relname ~ '^usage_events_[0-9]{8}$') p
     where day < (app_now() at time zone 'UTC')::date - $1::int and day not in (select day from usage_archives) order by 1`,
    [hotDays],
  )
  return rows
}

async function archiveDay(
  client: PoolClient,
  { bucket, store, toolName }: ArchiveParts,
  { day, partition }: Due,
): Promise<void> {
  const name = `${bucket}/${day}.parquet`
  const draft = join(store.draftFolder, `.${bucket}-${day}.${randomUUID()}.draft`)
  let written: WrittenDay
  try {
    await client.query('begin; set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0')
    written = await writeDay(draft, rowsOf(client, partition), toolName)
    await client.query('commit')
    if (written.totals.rows > 0) {
      await store.keep(draft, name)
      await compareFile(store, name, written)
    }
  } finally {
    await rm(draft, { force: true })
  }
  // Reads go on; a write to this old day waits.
  await client.query(
    `begin; set local statement_timeout = 0; set local lock_timeout = '2s'; lock table ${partition} in share mode`,
  )
  const held = await totalsOf(client, partition)
  if (!same(held, written.totals))
    throw new Error(
      `The calls of ${day} changed while they were archived. They stay in the database until the next attempt.`,
    )
  if (written.totals.rows > 0)
    await client.query(
      `insert into usage_archives (day, file, bytes, digest, rows, success, from_credits, from_payg) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [day, name, written.bytes, written.digest, held.rows, held.success, held.fromCredits, held.fromPayg],
    )
  await client.query(`drop table ${partition}`)
  await client.query('commit')
}

/** The rows of a partition by account and time, a group at a time. */
async function* rowsOf(client: PoolClient, partition: string): AsyncGenerator<ArchivedCall[]> {
  await client.query(`declare archived_rows no scroll cursor for
    select account_id, (extract(epoch from at) * 1000000)::bigint as at_micros, batch::text, n, key_id, tool_id, duration_ms, from_credits, from_payg, success,
      units from ${partition} order by account_id, at, batch, n`)
  for (;;) {
    const { rows } = await client.query<ArchivedCall>(`fetch ${ROWS_PER_GROUP} from archived_rows`)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_PER_GROUP) break
  }
  await client.query('close archived_rows')
}

async function totalsOf(client: PoolClient, partition: string): Promise<DayTotals> {
  const { rows } = await client.query<DayTotals>(`
    select count(*) as rows, count(*) filter (where success) as success, coalesce(sum(from_credits), 0)::bigint as "fromCredits",
      coalesce(sum(from_payg), 0)::bigint as "fromPayg" from ${partition}`)
  return rows[0]!
}

/** Reads a stored file back, whole. Throws unless it has exactly the rows that were written. */
async function compareFile(store: ArchiveStore, name: string, written: WrittenDay): Promise<void> {
  const file = await readEnd(store.open(name, written.bytes))
  const counted = countCalls()
  for (const group of groupsOf(file)) counted.add(await readGroup(file, group))
  const { totals, digest } = counted.end()
  if (digest !== written.digest || !same(totals, written.totals))
    throw new Error(
      `${name} in the archive differs from what was written. Its calls stay in the database until the next attempt.`,
    )
}

const same = (one: DayTotals, other: DayTotals): boolean =>
  one.rows === other.rows &&
  one.success === other.success &&
  one.fromCredits === other.fromCredits &&
  one.fromPayg === other.fromPayg

/** Left by servers that were killed. */
async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((name) => DRAFT.test(name))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found && found.mtimeMs < Date.now() - DRAFT_KEPT_MS) await rm(path, { force: true })
  }
}
