import { randomUUID } from 'node:crypto'
import { emptiestBucket } from '../db/buckets.ts'
import type { Database } from '../db/database.ts'
import { openCreditAccount } from '../features/credits/open-account.ts'
import { hashBytes, hashKey, makeKey, startOf } from '../features/keys/key-format.ts'
import { openMeterKey } from '../features/metering/keys.ts'

export interface TestKey {
  id: number
  publicId: string
  accountId: number
  /** The whole key. */
  value: string
}

/** A workspace without people, with an empty credit account. */
export async function insertAccount(db: Database, name = 'Test', bucket?: number): Promise<number> {
  const { id } = await db.kysely
    .insertInto('accounts')
    .values({ name, bucket: bucket ?? emptiestBucket })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.kysely.transaction().execute((tx) => openCreditAccount(tx, id))
  return id
}

/** A live key of the account, known to the meter. */
export async function insertKey(db: Database, accountId: number, prefix?: string): Promise<TestKey> {
  const value = makeKey(prefix)
  const publicId = randomUUID()
  const row = {
    public_id: publicId,
    account_id: accountId,
    name: 'Test',
    hash: hashBytes(hashKey(value)),
    start: startOf(value),
  }
  const { id } = await db.kysely.insertInto('api_keys').values(row).returning('id').executeTakeFirstOrThrow()
  await db.kysely.transaction().execute((tx) => openMeterKey(tx, { keyId: id, accountId }))
  return { id, publicId, accountId, value }
}
