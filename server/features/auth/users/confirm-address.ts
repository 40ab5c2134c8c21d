import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import { addOwnIdentity } from './create-user.ts'

/** Marks the user's address or number as confirmed, also in identity and metadata. `by`: the admin who vouches. */
export async function confirmAddress(
  tx: Queryable,
  userId: string,
  kind: 'email' | 'phone',
  by?: AdminActor,
): Promise<void> {
  const { address } = await tx
    .updateTable('auth.users')
    .set({
      [`${kind}_confirmed_at`]: sql`app_now()`,
      is_anonymous: false,
      user_metadata: sql`user_metadata || jsonb_build_object(${`${kind}_verified`}::text, true)`,
      updated_at: sql`app_now()`,
    })
    .where('id', '=', userId)
    .returning(`${kind} as address`)
    .executeTakeFirstOrThrow()
  if (address) await addOwnIdentity(tx, userId, kind, address, true)
  await listProviders(tx, userId)
  const event = kind === 'email' ? 'auth.email_confirmed' : 'auth.phone_changed'
  await noteSecurityEvent(tx, userId, event, userId, {}, by)
}

/** Notes that nobody proved the address: it was only taken for theirs. Never taken back, because whoever came first may still know a way in. */
export const markAssumed = (tx: Queryable, userId: string): Promise<unknown> =>
  tx.updateTable('auth.users').set({ email_assumed: true }).where('id', '=', userId).execute()

/** Updates app_metadata's provider and providers from the user's identities. */
export async function listProviders(tx: Queryable, userId: string): Promise<void> {
  await sql`
    update auth.users u set app_metadata = u.app_metadata || (
      select jsonb_build_object(
        'provider', case when u.app_metadata ->> 'provider' = any (array_agg(provider))
          then u.app_metadata -> 'provider' else to_jsonb((array_agg(provider order by first))[1]) end,
        'providers', jsonb_agg(provider order by first))
      from (select provider, min(created_at) as first from auth.identities where user_id = u.id group by provider) i)
    where u.id = ${userId} and exists (select from auth.identities where user_id = u.id)`.execute(tx)
}
