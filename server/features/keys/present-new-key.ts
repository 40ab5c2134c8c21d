import type { ApiKey } from '#contract/keys.ts'
import type { Queryable } from '../../db/database.ts'
import type { MadeKey } from './create.ts'
import { presentKey } from './present.ts'
import { ownKey } from './store.ts'

/** A key just made in this transaction, as in the contract, with its whole value. */
export async function presentNewKey(tx: Queryable, accountId: number, made: MadeKey): Promise<ApiKey> {
  return presentKey(await ownKey(tx, accountId, made.public_id), made.secret)
}
