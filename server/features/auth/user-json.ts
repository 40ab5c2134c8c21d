import type { Selectable } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { AuthIdentities, AuthUsers } from '../../db/schema.gen.ts'

export type UserRow = Selectable<AuthUsers>
type IdentityRow = Selectable<AuthIdentities>
type JsonObject = Record<string, unknown>

/** A person as clients read them: times in RFC 3339, absent facts left out, `email` and `phone` always strings. */
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

/** Null when there is no such person (any more). */
export async function readUser(db: Queryable, userId: string): Promise<UserJson | null> {
  const user = await db.selectFrom('auth.users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) return null
  const identities = await db
    .selectFrom('auth.identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return toUserJson(user, identities)
}

function toUserJson(user: UserRow, identities: IdentityRow[]): UserJson {
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
      last_sign_in_at: user.last_sign_in_at,
      banned_until: user.banned_until,
    }),
    app_metadata: user.app_metadata as JsonObject,
    user_metadata: user.user_metadata as JsonObject,
    identities: identities.map(toIdentityJson),
    factors: [],
    is_anonymous: user.is_anonymous,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
  }
}

/** `identity_id` is our row, `id` the provider's person: the names are inverted in the protocol. */
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

function times(values: Record<string, Date | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, at]) => (at ? [[name, at.toISOString()]] : [])))
}
