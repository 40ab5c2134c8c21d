import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { MeteredCall } from './meter.ts'

const MAX_KEY_LENGTH = 200

/** 128 bits of SHA-256 as a uuid: clients' keys have any shape, ours have one, and theirs are not stored. */
export function digest(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** What a call's batch has of its idempotency key, request and answer; undefined without a key. */
export const digestsOf = ({ idempotency }: Pick<MeteredCall, 'idempotency'>) => ({
  idempotencyKey: idempotency && digest(idempotency.key),
  request: idempotency && digest(idempotency.requestHash),
  answer: idempotency?.answerHash === undefined ? undefined : digest(idempotency.answerHash),
})

/** Throws invalid_parameter unless the key has 1 to 200 characters. */
export function checkIdempotencyKey(key: string): void {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH)
    throw new AppError('invalid_parameter', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`, {
      param: 'Idempotency-Key',
    })
}

/** Whether a call with this key was charged in the last 24 hours. */
export async function wasCharged(db: Database, accountId: number, key: string): Promise<boolean> {
  const found = await db.kysely
    .selectFrom('idempotency')
    .select('n')
    .where('account_id', '=', accountId)
    .where('key', '=', digest(key))
    .where('at', '>', sql<Date>`(select app_now()) - interval '24 hours'`)
    .executeTakeFirst()
  return found !== undefined
}
