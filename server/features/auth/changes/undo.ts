import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthUndoLinks } from '../../../db/schema.gen.ts'
import { noteSecurityEvent } from '../audit.ts'
import { clearTokens } from '../codes/one-time-tokens.ts'
import { listProviders } from '../users/confirm-address.ts'
import { lockUser } from '../users/find-user.ts'
import { hashUndoLink } from './mail-change.ts'

export type UndoLink = Pick<Selectable<AuthUndoLinks>, 'user_id' | 'change' | 'kept'>

/** The change that an emailed link undoes; undefined: unknown, used or older than 72 hours. */
export const findUndo = (db: Queryable, link: string): Promise<UndoLink | undefined> =>
  db
    .selectFrom('auth.undo_links')
    .select(['user_id', 'change', 'kept'])
    .where('link_hash', '=', hashUndoLink(link))
    .where('expires_at', '>', sql<Date>`app_now()`)
    .executeTakeFirst()

/** Why a change cannot be undone, as a sentence for the user. The link stays valid. */
export class CannotUndo extends Error {
  override name = 'CannotUndo'
}

/**
 * Undoes a change, in the caller's transaction, and ends every session and code of the user: the person who made the
 * change may still be signed in. Throws CannotUndo. False: the link was used meanwhile.
 */
export async function undoChange(tx: Queryable, link: string): Promise<boolean> {
  const found = await findUndo(tx, link)
  if (!found) return false
  await lockUser(tx, found.user_id)
  const { numDeletedRows } = await tx
    .deleteFrom('auth.undo_links')
    .where('link_hash', '=', hashUndoLink(link))
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  if (found.change === 'identity_linked') await removeIdentity(tx, found)
  else if (found.change === 'identity_unlinked') await restoreIdentity(tx, found)
  else await restoreFactor(tx, found)
  await clearTokens(tx, found.user_id)
  await tx.deleteFrom('auth.sessions').where('user_id', '=', found.user_id).execute()
  await noteSecurityEvent(tx, found.user_id, 'auth.change_undone', found.change)
  return true
}

async function removeIdentity(tx: Queryable, { user_id: userId, kept }: UndoLink): Promise<void> {
  const { identityId } = kept as { identityId: string }
  const { rows } = await sql<{ others: number }>`
    select count(*)::int as others from auth.identities where user_id = ${userId} and id <> ${identityId}`.execute(tx)
  if (rows[0]!.others === 0)
    throw new CannotUndo('No other account can sign in now. Undo the disconnection first: its mail has a link, too.')
  await tx.deleteFrom('auth.identities').where('id', '=', identityId).where('user_id', '=', userId).execute()
  await listProviders(tx, userId)
}

async function restoreIdentity(tx: Queryable, { user_id: userId, kept }: UndoLink): Promise<void> {
  const { identity, email } = kept as { identity: unknown; email: string | null }
  const { rows } = await sql`
    insert into auth.identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
    select id, ${userId}, provider, provider_id, identity_data, last_sign_in_at, created_at
    from jsonb_populate_record(null::auth.identities, ${JSON.stringify(identity)}::jsonb)
    on conflict do nothing returning id`.execute(tx)
  if (rows.length === 0) throw new CannotUndo('That account is already connected again, to this or another user.')
  await listProviders(tx, userId)
  if (email)
    await sql`update auth.users u set email = ${email}, email_confirmed_at = coalesce(email_confirmed_at, app_now())
      where id = ${userId} and not exists (select from auth.users o where o.email = ${email} and o.id <> u.id)`.execute(
      tx,
    )
}

async function restoreFactor(tx: Queryable, { user_id: userId, kept }: UndoLink): Promise<void> {
  const { factor } = kept as { factor: unknown }
  const { rows } = await sql`
    insert into auth.mfa_factors (id, user_id, factor_type, friendly_name, status, secret, phone, credential, last_step, created_at, verified_at)
    select id, ${userId}, factor_type, friendly_name, status, secret, phone, credential, last_step, created_at, verified_at
    from jsonb_populate_record(null::auth.mfa_factors, ${JSON.stringify(factor)}::jsonb)
    on conflict do nothing returning id`.execute(tx)
  if (rows.length === 0) throw new CannotUndo('A second factor of that name exists by now.')
}
