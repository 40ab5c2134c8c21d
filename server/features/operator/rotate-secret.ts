import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { everySealedColumn, type SealedColumn } from '../../secrets/sealed-columns.ts'
import type { Secrets } from '../../secrets/secrets.ts'

/** Rows of one kind, by the secret that opens them. */
export interface SealedCount {
  what: string
  present: number
  previous: number
  /** Neither opens them: altered, moved, or of a secret that is no longer named. */
  unreadable: number
}

type Needs = { db: Database; secrets: Secrets }
type Column = (typeof everySealedColumn)[number]

const BATCH = 500
const MOST_PASSES = 10
/** Links in emails and downloads that are signed, not stored, work at most this long; invitations longer. */
const LINKS = '15 minutes'

/** How many rows each secret opens. */
export async function countSealed({ db, secrets }: Needs): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const column of everySealedColumn) counts.push(await walk(db, secrets, column, async () => {}))
  return counts
}

/**
 * Encrypts everything under the present secret, while servers run. Each row is written only if it still has the
 * ciphertext that was read, so no concurrent change is lost; passes repeat until one finds nothing left. Interrupted, it
 * goes on where it stopped. Returns what was found: `previous` counts the rows that were encrypted again.
 */
export async function rotateSecret({ db, secrets }: Needs): Promise<SealedCount[]> {
  const totals = new Map<string, SealedCount>()
  for (const column of everySealedColumn) {
    let renewed = 0
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      const found = await walk(db, secrets, column, async (key, stale, fresh) => {
        if (await replace(db, column, key, stale, fresh)) renewed++
      })
      totals.set(column.what, { ...found, previous: renewed })
      if (found.previous === 0) break
    }
  }
  await noteRotation({ db, secrets }, [...totals.values()])
  return [...totals.values()]
}

/**
 * When everything was last encrypted again under the present secret, and until when links signed before that are in use.
 * Null if there has been none.
 */
export async function lastRotation({ db, secrets }: Needs): Promise<{ at: Date | null; linksUntil: Date | null }> {
  const { rows } = await sql<{ at: Date | null; linksUntil: Date | null }>`
    with rotated as (
      select max(at) as at from audit_log where account_id is null and actor = 'system:operator'
        and action = 'secret.rotated' and target = ${fingerprint(secrets)})
    select at, case when until > app_now() then until end as "linksUntil" from (
      select rotated.at, greatest(rotated.at + ${LINKS}::interval, (
        select max(expires_at) from account_invitations where closed_at is null and sent_at <= rotated.at)) as until
      from rotated) links`.execute(db.kysely)
  return rows[0]!
}

/** Walks all rows by primary key, and hands over those under the previous secret, with their new ciphertext. */
async function walk(
  { pool }: Database,
  secrets: Secrets,
  column: Column,
  onStale: (key: unknown[], stale: Buffer, fresh: Buffer) => Promise<void>,
): Promise<SealedCount> {
  const count = { what: column.what, present: 0, previous: 0, unreadable: 0 }
  const names = column.key.join(', ')
  const keyOf = (row: Record<string, unknown>) => column.key.map((name) => row[name])
  for (let after: unknown[] = []; ; ) {
    const { rows } = await pool.query<Record<string, unknown> & { sealed: Buffer; context_of: string }>(
      `select ${column.value} as sealed, ${column.context} as context_of, ${names} from ${column.table}
       where octet_length(${column.value}) > 28
         ${after.length > 0 ? `and (${names}) > (${after.map((_, at) => `$${at + 1}`)})` : ''}
       order by ${names} limit ${BATCH}`,
      after,
    )
    for (const row of rows) {
      const fresh = renewed(secrets, column, row.sealed, row.context_of)
      if (fresh === 'unreadable') count.unreadable++
      else if (fresh === null) count.present++
      else {
        count.previous++
        await onStale(keyOf(row), row.sealed, fresh)
      }
    }
    if (rows.length < BATCH) return count
    after = keyOf(rows.at(-1)!)
  }
}

function renewed(secrets: Secrets, { purpose }: Column, value: Buffer, context: string): Buffer | null | 'unreadable' {
  try {
    return secrets.renew(purpose, value, context)
  } catch {
    return 'unreadable'
  }
}

/** False: somebody else has changed the row since it was read. */
async function replace(
  { pool }: Database,
  { table, key, value, assignment }: SealedColumn,
  of: unknown[],
  stale: Buffer,
  fresh: Buffer,
): Promise<boolean> {
  const where = key.map((name, at) => `${name} = $${at + 3}`).join(' and ')
  const { rowCount } = await pool.query(`update ${table} set ${assignment} where ${where} and ${value} = $2::bytea`, [
    fresh,
    stale,
    ...of,
  ])
  return rowCount === 1
}

/** Names the present secret without giving anything of it away. */
const fingerprint = (secrets: Secrets): string => secrets.derive('fingerprint').subarray(0, 4).toString('hex')

/** One entry per run that changed something, and at least one per secret: links signed before it age from there. */
async function noteRotation({ db, secrets }: Needs, counts: SealedCount[]): Promise<void> {
  const renewed = Object.fromEntries(
    counts.filter(({ previous }) => previous > 0).map((one) => [one.what, one.previous]),
  )
  const target = fingerprint(secrets)
  await sql`
    insert into audit_log (actor, action, target, detail)
    select 'system:operator', 'secret.rotated', ${target}::text, ${JSON.stringify(renewed)}::jsonb
    where ${Object.keys(renewed).length > 0} or not exists (
      select from audit_log where account_id is null and actor = 'system:operator' and action = 'secret.rotated'
        and target = ${target})`.execute(db.kysely)
}
