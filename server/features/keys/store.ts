import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'
import type { KeyRow } from './present.ts'

/** The live keys of one account, oldest first. */
export const liveKeys = (db: Queryable, accountId: number) =>
  db
    .selectFrom('api_keys as k')
    .leftJoin('meter_keys as m', 'm.key_id', 'k.id')
    .leftJoin('key_last_use as u', 'u.key_id', 'k.id')
    .select(['k.id', 'k.public_id', 'k.name', 'k.start', 'k.ciphertext', 'k.created_at', 'k.scopes', 'k.expires_at'])
    .select(['k.rate_limit_per_minute', 'm.monthly_budget', 'u.client as last_used_client'])
    .select([
      sql<string[] | null>`k.allowed_networks::text[]`.as('allowed_networks'),
      sql<Date | null>`case when k.previous_until > app_now() then k.previous_until end`.as('previous_until'),
      // The month starts over with its first call.
      sql<number | null>`case when m.budget_until <= app_now() then m.monthly_budget
        when m.monthly_budget is not null then m.budget_left end`.as('budget_left'),
      sql<string | null>`host(u.address)`.as('last_used_address'),
    ])
    .where('k.account_id', '=', accountId)
    .where('k.deleted_at', 'is', null)
    .orderBy('k.id')

/** One live key of the account. Throws the same not_found for a missing, deleted, malformed or foreign key. */
export async function ownKey(db: Queryable, accountId: number, publicId: string): Promise<KeyRow> {
  const row = isUuid(publicId)
    ? await liveKeys(db, accountId).where('k.public_id', '=', publicId).executeTakeFirst()
    : undefined
  if (!row) throw new AppError('not_found', 'The requested API key could not be found.')
  return row
}
