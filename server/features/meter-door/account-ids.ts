import type { Deps } from '../../deps.ts'
import { unavailable } from '../../http/unavailable.ts'

const MOST_KEPT = 50_000

/** The public id of an account, by which upstreams know their customers. It never changes. Throws metering_unavailable. */
export function createAccountIds({ db }: Pick<Deps, 'db'>): (accountId: number) => Promise<string> | string {
  const known = new Map<number, string>()
  const read = async (accountId: number): Promise<string> => {
    const found = await db.kysely
      .selectFrom('accounts')
      .select('public_id')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow()
      .catch(unavailable)
    if (known.size >= MOST_KEPT) known.delete(known.keys().next().value!)
    known.set(accountId, found.public_id)
    return found.public_id
  }
  return (accountId) => known.get(accountId) ?? read(accountId)
}
