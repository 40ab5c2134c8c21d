import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthUsers } from '../../../db/schema.gen.ts'
import { AuthError } from '../errors.ts'

export type KnownUser = Selectable<AuthUsers> & { banned: boolean; enrolled: boolean }

const facts = (db: Queryable) =>
  db
    .selectFrom('auth.users as u')
    .selectAll('u')
    .select(sql<boolean>`coalesce(u.banned_until > app_now(), false)`.as('banned'))
    .select(
      sql<boolean>`exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')`.as(
        'enrolled',
      ),
    )
    .where('u.deleted_at', 'is', null)

/** The user with this address or number. */
export function findByAddress(db: Queryable, kind: 'email' | 'phone', address: string): Promise<KnownUser | undefined> {
  return facts(db).where(`u.${kind}`, '=', address).executeTakeFirst()
}

export function findById(db: Queryable, userId: string): Promise<KnownUser | undefined> {
  return facts(db).where('u.id', '=', userId).executeTakeFirst()
}

/** Serializes claims of one address or number until the transaction ends; later ones see the result of the first. */
export async function lockAddress(tx: Queryable, kind: 'email' | 'phone', address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${kind}:${address}`}, 0))`.execute(tx)
}

/** The user of a token that was just valid, locked until the transaction ends. Throws user_not_found. */
export async function lockUser(tx: Queryable, userId: string): Promise<KnownUser> {
  const found = await facts(tx).where('u.id', '=', userId).forUpdate().executeTakeFirst()
  if (!found) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  return found
}
