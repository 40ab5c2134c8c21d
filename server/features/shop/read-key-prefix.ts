import type { Queryable } from '../../db/database.ts'
import { DEFAULT_KEY_PREFIX } from './shop.ts'
import { servedShop } from './store.ts'

/** What a new key begins with, read in the transaction that creates it: servers that heard of the shop later agree. */
export async function readKeyPrefix(tx: Queryable): Promise<string> {
  const served = await servedShop(tx)
  return served?.stored.key_prefix ?? DEFAULT_KEY_PREFIX
}
