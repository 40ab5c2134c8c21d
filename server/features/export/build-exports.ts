import { sql } from 'kysely'
import { accountPathSql } from '../../db/buckets.ts'
import type { Deps } from '../../deps.ts'
import { loadArchived } from './load-archived.ts'
import { accountSources, personSources } from './sources.ts'
import { startZip, writeSource } from './write-zip.ts'

/** Longer than any attempt takes; after a crash, another attempt starts then. */
const LEASE = sql`interval '10 minutes'`
const KEPT = sql`interval '7 days'`
const MAX_ATTEMPTS = 3

type Needs = Pick<Deps, 'archive' | 'config' | 'db' | 'log' | 'mail'>

/** Builds requested exports one at a time, each on one instance, then deletes expired ones. */
export async function buildExports(deps: Needs): Promise<void> {
  await forgetOldExports(deps)
  for (;;) {
    const next = await claim(deps)
    if (!next) return
    try {
      await complete(deps, next, await writeExport(deps, next))
    } catch (error) {
      deps.log.error({ export: next.public_id, error: (error as Error).message }, 'an export could not be built')
      await release(deps, next)
    }
  }
}

interface Claimed {
  id: number
  public_id: string
  user_id: string
  attempts: number
}

function claim({ db }: Needs): Promise<Claimed | undefined> {
  return db.kysely
    .with('due', (cte) =>
      cte
        .selectFrom('data_exports')
        .select('id')
        .where('status', '=', 'pending')
        .where((or) => or.or([or('started_at', 'is', null), or('started_at', '<', sql<Date>`app_now() - ${LEASE}`)]))
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('data_exports')
    .set((row) => ({ started_at: sql`app_now()`, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (where) => where.selectFrom('due').select('id'))
    .returning(['id', 'public_id', 'user_id', 'attempts'])
    .executeTakeFirst()
}

/** Writes one snapshot of everything as stored parts. Returns the size of the zip. */
async function writeExport({ archive, db }: Needs, { id, user_id: userId }: Claimed): Promise<number> {
  const client = await db.pool.connect()
  try {
    await client.query('begin isolation level repeatable read')
    await client.query('delete from data_export_parts where export_id = $1', [id])
    let n = 0
    const zip = startZip(async (data) => {
      await client.query('insert into data_export_parts (export_id, n, data) values ($1, $2, $3)', [id, n, data])
      n += 1
    })
    const about = zip.file('README.txt')
    about.write(readme)
    about.end()
    for (const source of personSources) await writeSource(client, zip, 'you/', source, userId)
    const owned = await client.query<{ id: number; public_id: string; bucket: number }>(
      `select a.id, a.public_id, a.bucket from accounts a join account_members m on m.account_id = a.id
       where m.user_id = $1 and m.role = 'owner' order by a.id`,
      [userId],
    )
    for (const account of owned.rows) {
      await client.query(`select set_config('search_path', ${accountPathSql}, true) from accounts where id = $1`, [
        account.id,
      ])
      await loadArchived(client, db.of(account.bucket).kysely, archive, account.id)
      for (const source of accountSources)
        await writeSource(client, zip, `workspaces/${account.public_id}/`, source, account.id)
    }
    const bytes = await zip.end()
    await client.query('commit')
    return bytes
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

const readme = `Everything that this installation stores about you and about the workspaces that you own.

Each file comes as .json and as .csv. Times are UTC, money is in cents, credits are whole numbers.
API keys, passwords and tokens are not included; if stored at all, they are hashed or encrypted.
In .csv files, texts that look like a formula start with '.
`

/** Marks the export as ready and emails the person, in one transaction. */
async function complete({ config, db, mail }: Needs, { id, user_id }: Claimed, bytes: number): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    await tx
      .updateTable('data_exports')
      .set({ status: 'ready', ready_at: sql`app_now()`, expires_at: sql`app_now() + ${KEPT}`, bytes })
      .where('id', '=', id)
      .execute()
    const person = await tx
      .selectFrom('profiles')
      .select('email')
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    if (!mail.enabled || !person.email) return
    await mail.send(tx, {
      to: person.email,
      kind: 'export ready',
      subject: 'Your data export is ready',
      heading: 'Your data export is ready',
      paragraphs: ['Sign in and download it from Settings. The file is deleted after 7 days.'],
      action: { label: 'Open Settings', url: `${config.PUBLIC_URL}/dashboard/settings` },
      note: 'You received this email because someone requested an export of your account. If this was not you, sign out all other sessions in your security settings.',
    })
  })
}

async function release({ db }: Needs, { id, attempts }: Claimed): Promise<void> {
  if (attempts < MAX_ATTEMPTS) return
  await db.kysely.updateTable('data_exports').set({ status: 'failed' }).where('id', '=', id).execute()
}

async function forgetOldExports({ db }: Needs): Promise<void> {
  await db.kysely
    .deleteFrom('data_exports')
    .where((or) =>
      or.or([
        or('expires_at', '<=', sql<Date>`app_now()`),
        or.and([or('status', '=', 'failed'), or('requested_at', '<=', sql<Date>`app_now() - ${KEPT}`)]),
      ]),
    )
    .execute()
}
