import type { Queryable } from '../../db/database.ts'
import { isUuid } from '../../http/uuid.ts'

export interface FoundAccount {
  id: number
  publicId: string
  name: string
  ownerEmail: string
}

/**
 * The account that an operator names: by public id, or, for a Personal account, by its owner's email address. Throws a
 * message for the operator when none or several match.
 */
export async function findAccount(db: Queryable, named: string): Promise<FoundAccount> {
  const found = await db
    .selectFrom('accounts as a')
    .leftJoin('profiles as p', 'p.user_id', 'a.personal_of')
    .select(['a.id', 'a.public_id as publicId', 'a.name', 'p.email as ownerEmail'])
    .where((where) => (isUuid(named) ? where('a.public_id', '=', named) : where('p.email', '=', named.toLowerCase())))
    .execute()
  const [account, other] = found
  if (!account) throw new Error(`There is no account ${named}. Name it by its id or by its owner's email address.`)
  if (other)
    throw new Error(
      `Several accounts belong to ${named}: name one by its id: ${found.map(({ publicId }) => publicId).join(', ')}.`,
    )
  return { ...account, ownerEmail: account.ownerEmail ?? '' }
}
