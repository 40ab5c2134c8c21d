import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { DEFAULT_KEY_PREFIX } from './shop.ts'

/** What a new key begins with, read in the transaction that creates it: servers that heard of the shop later agree. */
export async function readKeyPrefix(tx: Queryable): Promise<string> {
  const served = await tx
    .selectFrom('shop as s')
    .innerJoin('shop_versions as v', 'v.version', 's.version')
    .select(sql<string>`v.settings->>'key_prefix'`.as('prefix'))
    .executeTakeFirst()
  return served?.prefix ?? DEFAULT_KEY_PREFIX
}
