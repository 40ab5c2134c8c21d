import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import { mailChange, providerName } from '../changes/mail-change.ts'
import { addressChangedMail } from '../codes/mail-texts.ts'
import { clearTokens } from '../codes/one-time-tokens.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { listProviders } from '../users/confirm-address.ts'
import { findByAddress, lockUser } from '../users/find-user.ts'

interface Remaining {
  email: string | null
  verified: boolean
}

/**
 * Unlinks an identity; at least one must remain. An address that only this identity vouches for is replaced by
 * another identity's verified one, if there is one, and the old address is notified.
 */
export async function unlinkIdentity(deps: AuthDeps, userId: string, identityId: string): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    const user = await lockUser(tx, userId)
    const identities = await tx
      .selectFrom('auth.identities')
      .select(['id', 'provider', 'provider_id', 'email', 'identity_data', 'last_sign_in_at', 'created_at'])
      .select(sql<boolean>`coalesce((identity_data -> 'email_verified')::text = 'true', false)`.as('verified'))
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .execute()
    if (identities.length <= 1)
      throw new AuthError(422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking')
    const gone = identities.find(({ id }) => id === identityId)
    if (!gone) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist")
    await tx.deleteFrom('auth.identities').where('id', '=', identityId).execute()
    await listProviders(tx, userId)
    await tx.updateTable('auth.users').set({ updated_at: sql`app_now()` }).where('id', '=', userId).execute()
    const rest = identities.filter(({ id }) => id !== identityId)
    if (gone.provider === 'phone')
      await tx
        .updateTable('auth.users')
        .set({ phone: null, phone_confirmed_at: null })
        .where('id', '=', userId)
        .execute()
    const moved =
      user.email !== null &&
      gone.email === user.email &&
      !rest.some(({ email }) => email === user.email) &&
      (await moveToOtherAddress(tx, deps, userId, user.email, rest))
    const { verified: _verified, email: _email, ...identity } = gone
    await mailChange(
      tx,
      deps,
      { userId, to: [user.email, (await lockUser(tx, userId)).email] },
      { change: 'identity_unlinked', name: providerName(gone.provider), identity, email: moved ? user.email : null },
    )
    await noteSecurityEvent(tx, userId, 'auth.identity_unlinked', `${gone.provider}:${gone.provider_id}`)
  })
}

/** False: no other identity has a verified address. */
async function moveToOtherAddress(
  tx: Queryable,
  deps: AuthDeps,
  userId: string,
  old: string,
  rest: Remaining[],
): Promise<boolean> {
  // An address without proof may be somebody else's, and would get their invitations.
  const next = rest.find(({ email, verified }) => email && verified)
  if (!next?.email) return false
  const holder = await findByAddress(tx, 'email', next.email)
  if (holder && holder.id !== userId)
    throw new AuthError(422, 'email_conflict_identity_not_deletable', 'Unable to unlink identity due to email conflict')
  await clearTokens(tx, userId)
  await tx
    .updateTable('auth.users')
    .set({ email: next.email, email_confirmed_at: sql`app_now()` })
    .where('id', '=', userId)
    .execute()
  await noteSecurityEvent(tx, userId, 'auth.email_changed', userId, { because: 'identity_unlinked' })
  const mail = addressChangedMail(next.email, deps.mail.shopName())
  if (deps.mail.enabled) await deps.mail.send(tx, { to: old, kind: 'sign-in changed', ...mail })
  return true
}
