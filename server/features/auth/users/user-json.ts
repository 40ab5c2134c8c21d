import type { Selectable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthIdentities, AuthMfaFactors, AuthUsers } from '../../../db/schema.gen.ts'

export type UserRow = Selectable<AuthUsers>
type IdentityRow = Selectable<AuthIdentities>
type FactorRow = Selectable<AuthMfaFactors>
type JsonObject = Record<string, unknown>

/** A user as clients read them: times in RFC 3339, absent fields omitted, `email` and `phone` always strings. */
export interface UserJson {
  id: string
  aud: string
  role: string
  email: string
  phone: string
  app_metadata: JsonObject
  user_metadata: JsonObject
  identities: JsonObject[]
  factors: JsonObject[]
  is_anonymous: boolean
  created_at: string
  updated_at: string
  [fact: string]: unknown
}

/** Null if the user does not exist or was deleted. */
export async function readUser(db: Queryable, userId: string): Promise<UserJson | null> {
  const users = await db
    .selectFrom('auth.users')
    .selectAll()
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute()
  return (await withParts(db, users))[0] ?? null
}

/** A page of all users, newest first. */
export async function readUsers(
  db: Queryable,
  { limit, offset }: { limit: number; offset: number },
): Promise<UserJson[]> {
  const users = await db
    .selectFrom('auth.users')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return withParts(db, users)
}

/** The second factors of a user, unverified ones too. */
export async function readFactors(db: Queryable, userId: string): Promise<JsonObject[]> {
  const rows = await db
    .selectFrom('auth.mfa_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
  return rows.map(toFactorJson)
}

async function withParts(db: Queryable, users: UserRow[]): Promise<UserJson[]> {
  const ids = users.map(({ id }) => id)
  if (ids.length === 0) return []
  const identities = await db
    .selectFrom('auth.identities')
    .selectAll()
    .where('user_id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const factors = await db
    .selectFrom('auth.mfa_factors')
    .selectAll()
    .where('user_id', 'in', ids)
    .orderBy('created_at')
    .execute()
  return users.map((user) =>
    toUserJson(
      user,
      identities.filter(({ user_id }) => user_id === user.id),
      factors.filter(({ user_id }) => user_id === user.id),
    ),
  )
}

function toUserJson(user: UserRow, identities: IdentityRow[], factors: FactorRow[]): UserJson {
  const confirmations = [user.email_confirmed_at, user.phone_confirmed_at].filter((at) => at !== null)
  const earliest = confirmations.length > 0 ? new Date(Math.min(...confirmations.map(Number))) : null
  return {
    id: user.id,
    aud: 'authenticated',
    role: user.role,
    email: user.email ?? '',
    phone: user.phone ?? '',
    ...times({
      email_confirmed_at: user.email_confirmed_at,
      phone_confirmed_at: user.phone_confirmed_at,
      confirmed_at: earliest,
      invited_at: user.invited_at,
      confirmation_sent_at: user.confirmation_sent_at,
      recovery_sent_at: user.recovery_sent_at,
      email_change_sent_at: user.new_email ? user.email_change_sent_at : null,
      phone_change_sent_at: user.new_phone ? user.phone_change_sent_at : null,
      reauthentication_sent_at: user.reauthentication_sent_at,
      last_sign_in_at: user.last_sign_in_at,
      banned_until: user.banned_until,
    }),
    ...(user.new_email && { new_email: user.new_email }),
    ...(user.new_phone && { new_phone: user.new_phone }),
    app_metadata: user.app_metadata as JsonObject,
    user_metadata: user.user_metadata as JsonObject,
    identities: identities.map(toIdentityJson),
    factors: factors.map(toFactorJson),
    is_anonymous: user.is_anonymous,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
  }
}

/** `identity_id` is our row, `id` the provider's user: the names are inverted in the protocol. */
function toIdentityJson(identity: IdentityRow): JsonObject {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    provider: identity.provider,
    identity_data: identity.identity_data,
    ...(identity.email && { email: identity.email }),
    ...times({ last_sign_in_at: identity.last_sign_in_at }),
    created_at: identity.created_at.toISOString(),
    updated_at: identity.updated_at.toISOString(),
  }
}

function toFactorJson(factor: FactorRow): JsonObject {
  return {
    id: factor.id,
    ...(factor.friendly_name && { friendly_name: factor.friendly_name }),
    factor_type: factor.factor_type,
    status: factor.status,
    phone: factor.phone ?? '',
    created_at: factor.created_at.toISOString(),
    updated_at: factor.updated_at.toISOString(),
    last_challenged_at: factor.last_challenged_at?.toISOString() ?? null,
  }
}

function times(values: Record<string, Date | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, at]) => (at ? [[name, at.toISOString()]] : [])))
}
