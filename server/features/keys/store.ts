import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'
import type { KeyRow } from './present.ts'

/** The live keys of one account, and of no other, oldest first. */
export const liveKeys = (db: Queryable, accountId: number) =>
  db
    .selectFrom('api_keys')
    .select(['id', 'public_id', 'name', 'start', 'ciphertext', 'created_at'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('id')

/** One live key of the account. Throws the same not_found for a key that is missing, deleted, malformed or another's. */
export async function ownKey(db: Queryable, accountId: number, publicId: string): Promise<KeyRow> {
  const row = isUuid(publicId)
    ? await liveKeys(db, accountId).where('public_id', '=', publicId).executeTakeFirst()
    : undefined
  if (!row) throw new AppError('not_found', 'The requested API key could not be found.')
  return row
}
