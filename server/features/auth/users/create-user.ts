import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'

type JsonObject = Record<string, unknown>

export interface NewUser {
  id?: string
  email?: string
  phone?: string
  passwordHash?: string
  userMetadata: JsonObject
  appMetadata?: JsonObject
  role?: string
  anonymous?: boolean
  /** The admin who created it; absent for a sign-up. */
  by?: AdminActor
}

/** Creates a user with an identity for their address and one for their number, both unconfirmed. Returns the id. */
export async function createUser(tx: Queryable, user: NewUser): Promise<string> {
  const id = user.id ?? randomUUID()
  const providers = [user.email && 'email', user.phone && 'phone'].filter((name) => typeof name === 'string' && name)
  const app = { ...(providers.length > 0 && { provider: providers[0], providers }), ...user.appMetadata }
  await tx
    .insertInto('auth.users')
    .values({
      id,
      email: user.email ?? null,
      phone: user.phone ?? null,
      password_hash: user.passwordHash ?? null,
      user_metadata: JSON.stringify(user.userMetadata),
      app_metadata: JSON.stringify(app),
      is_anonymous: user.anonymous ?? false,
      ...(user.role && { role: user.role }),
    })
    .execute()
  if (user.email) await addOwnIdentity(tx, id, 'email', user.email)
  if (user.phone) await addOwnIdentity(tx, id, 'phone', user.phone)
  await noteSecurityEvent(tx, id, 'auth.signed_up', providers.join('+') || 'anonymous', {}, user.by)
  return id
}

/** Adds or updates the identity for the user's own address or number. */
export async function addOwnIdentity(
  tx: Queryable,
  userId: string,
  kind: 'email' | 'phone',
  address: string,
  verified = false,
): Promise<void> {
  const data = JSON.stringify({ ...ownClaims(userId, kind, address), [`${kind}_verified`]: verified })
  await tx
    .insertInto('auth.identities')
    .values({
      user_id: userId,
      provider: kind,
      provider_id: userId,
      identity_data: data,
      last_sign_in_at: sql`app_now()`,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider', 'provider_id']).doUpdateSet({
        identity_data: sql`auth.identities.identity_data || ${data}::jsonb`,
        updated_at: sql`app_now()`,
      }),
    )
    .execute()
}

/** What sign-up by email or phone adds to the user_metadata that the client sends. */
export const ownClaims = (userId: string, kind: 'email' | 'phone', address: string): JsonObject => ({
  sub: userId,
  [kind]: address,
  email_verified: false,
  phone_verified: false,
})
