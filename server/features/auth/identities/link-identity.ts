import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import { mailChange, providerName } from '../changes/mail-change.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import type { ExternalIdentity } from '../providers/provider.ts'
import { addIdentity } from '../providers/sign-in-with-identity.ts'
import { findById } from '../users/find-user.ts'

/** Throws identity_already_exists if the identity is already linked, to this user or another. */
export async function refuseTaken(
  tx: Queryable,
  userId: string,
  { provider, providerId }: Pick<ExternalIdentity, 'provider' | 'providerId'>,
): Promise<void> {
  const owner = await tx
    .selectFrom('auth.identities')
    .select('user_id')
    .where('provider', '=', provider)
    .where('provider_id', '=', providerId)
    .executeTakeFirst()
  if (!owner) return
  throw new AuthError(
    422,
    'identity_already_exists',
    owner.user_id === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
  )
}

/**
 * Links a provider's identity to a signed-in user, in the caller's transaction. The addresses need
 * not match. A user without an address gets the verified one of the provider, unless it is taken.
 */
export async function linkIdentity(
  tx: Queryable,
  deps: AuthDeps,
  userId: string,
  identity: Omit<ExternalIdentity, 'tokens'>,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${identity.provider}:${identity.providerId}`}, 0))`.execute(
    tx,
  )
  await refuseTaken(tx, userId, identity)
  const before = await findById(tx, userId)
  const identityId = await addIdentity(tx, identity, userId)
  const user = await findById(tx, userId)
  if (user && !user.email && identity.email && identity.emailVerified) {
    const { numUpdatedRows } = await tx
      .updateTable('auth.users')
      .set({ email: identity.email })
      .where('id', '=', userId)
      .where((where) =>
        where.not(
          where.exists(where.selectFrom('auth.users as o').select('o.id').where('o.email', '=', identity.email)),
        ),
      )
      .executeTakeFirst()
    if (numUpdatedRows > 0n)
      await tx
        .updateTable('auth.users')
        .set({ email_confirmed_at: sql`app_now()`, is_anonymous: false })
        .where('id', '=', userId)
        .execute()
  }
  await tx.updateTable('auth.users').set({ is_anonymous: false }).where('id', '=', userId).execute()
  await mailChange(
    tx,
    deps,
    { userId, to: [before?.email ?? null] },
    { change: 'identity_linked', name: providerName(identity.provider), identityId },
  )
  await noteSecurityEvent(tx, userId, 'auth.identity_linked', `${identity.provider}:${identity.providerId}`)
}
