import { sql } from 'kysely'
import type { DataExport } from '#contract/account-data.ts'
import type { Actor, UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { audit } from '../account/audit.ts'
import { ownedAccounts } from '../account/owned-accounts.ts'
import { signExportLink } from './export-link.ts'

/** The person's unexpired exports, newest first, each ready one with a fresh link. */
export async function listExports({ actor, deps }: UserContext): Promise<DataExport[]> {
  const rows = await deps.db.kysely
    .selectFrom('data_exports')
    .select(['public_id', 'status', 'requested_at', 'expires_at', 'bytes'])
    .where('user_id', '=', actor.userId)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', sql<Date>`app_now()`)]))
    .orderBy('id', 'desc')
    .$narrowType<{ status: DataExport['status'] }>()
    .execute()
  return rows.map((row) => ({
    id: row.public_id,
    status: row.status,
    requested_at: row.requested_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    bytes: row.bytes,
    download_url: row.status === 'ready' ? signExportLink(deps, actor.userId, row.public_id, Date.now()) : null,
  }))
}

const PAUSE = sql`interval '10 minutes'`

/**
 * Requests an export, or returns the one that is being built. Throws rate_limited within ten minutes of the previous
 * one.
 */
export async function requestExport(ctx: UserContext): Promise<DataExport> {
  const { actor, deps } = ctx
  await deps.db.kysely.transaction().execute((tx) => startExport(tx, actor.userId, actor))
  return (await listExports(ctx))[0]!
}

/**
 * The same for a person, in the caller's transaction. They get a mail when it is ready, and download it after signing in. Returns false
 * if one is being built already. Throws rate_limited.
 */
export async function startExport(tx: Queryable, userId: string, actor: Actor): Promise<boolean> {
  await tx.selectFrom('profiles').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute()
  const recent = await tx
    .selectFrom('data_exports')
    .select('status')
    .where('user_id', '=', userId)
    .where((or) => or.or([or('status', '=', 'pending'), or('requested_at', '>', sql<Date>`app_now() - ${PAUSE}`)]))
    .orderBy('id', 'desc')
    .executeTakeFirst()
  if (recent?.status === 'pending') return false
  if (recent)
    throw new AppError('rate_limited', 'An export was created less than 10 minutes ago. Download that one, or wait.', {
      retryAfterSeconds: 600,
    })
  const { public_id } = await tx
    .insertInto('data_exports')
    .values({ user_id: userId })
    .returning('public_id')
    .executeTakeFirstOrThrow()
  // Logged in the workspaces that are exported: the selected one may be somebody else's.
  for (const { id } of await ownedAccounts(tx, userId))
    await audit(tx, { accountId: id, actor, action: 'account.export_requested', target: public_id })
  return true
}
