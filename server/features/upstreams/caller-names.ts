import type { Database } from '../../db/database.ts'
import { unavailable } from '../../http/unavailable.ts'
import type { Caller } from '../metering/meter.ts'

const MOST = 50_000

/** The public ids of an account and its key; they never change, so each pair is read once. Throws metering_unavailable. */
export function createCallerNames({
  pool,
}: Database): (caller: Pick<Caller, 'accountId' | 'keyId'>) => Promise<{ account: string; key: string | null }> {
  const known = new Map<string, { account: string; key: string | null }>()
  return async ({ accountId, keyId }) => {
    const name = `${accountId} ${keyId}`
    const found = known.get(name)
    if (found) return found
    const { rows } = await pool
      .query<{ account: string; key: string | null }>(
        `select a.public_id as account, k.public_id as key from accounts a left join api_keys k on k.id = $2 where a.id = $1`,
        [accountId, keyId],
      )
      .catch(unavailable)
    if (!rows[0]) throw new Error('The account of this call is gone.')
    if (known.size >= MOST) known.delete(known.keys().next().value!)
    known.set(name, rows[0])
    return rows[0]
  }
}
