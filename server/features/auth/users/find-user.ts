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

/** Who holds an address or number as their own; undefined: nobody. */
export function findByAddress(db: Queryable, kind: 'email' | 'phone', address: string): Promise<KnownUser | undefined> {
  return facts(db).where(`u.${kind}`, '=', address).executeTakeFirst()
}

export function findById(db: Queryable, userId: string): Promise<KnownUser | undefined> {
  return facts(db).where('u.id', '=', userId).executeTakeFirst()
}

/** Claims of one address or number wait for each other until the transaction ends; the later ones see the first. */
export async function lockAddress(tx: Queryable, kind: 'email' | 'phone', address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${kind}:${address}`}, 0))`.execute(tx)
}

/** The person of a token that was valid a moment ago, locked until the transaction ends. */
export async function lockUser(tx: Queryable, userId: string): Promise<KnownUser> {
  const found = await facts(tx).where('u.id', '=', userId).forUpdate().executeTakeFirst()
  if (!found) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  return found
}
