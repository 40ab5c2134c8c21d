import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { unavailable } from '../../http/unavailable.ts'

const MAX_ACCOUNTS = 50_000
const MAX_AGE_MS = 60_000

/** Names (lower case) and price ids of an account's active plans. Cached until a notification about the account. Rejects with metering_unavailable. */
export type PlansOfAccount = (accountId: number) => ReadonlySet<string> | Promise<ReadonlySet<string>>

export function createPlansOfAccount({ db, listener }: { db: Database; listener: Listener }): PlansOfAccount {
  const known = new Map<number, { plans: ReadonlySet<string>; goodUntilMs: number }>()
  // Incremented with every notification: a result read before it must not be cached after it.
  let changes = 0
  listener.on('account_changed', (accountId) => {
    changes++
    known.delete(Number(accountId))
  })
  listener.onLost(() => {
    changes++
    known.clear()
  })
  const read = async (accountId: number): Promise<ReadonlySet<string>> => {
    const seen = changes
    const { rows } = await db.pool
      .query<{ name: string; priceId: string }>(
        `select p.name, p.price_id as "priceId" from subscriptions s join plans p using (price_id)
         where s.account_id = $1 and s.status = 'active'`,
        [accountId],
      )
      .catch(unavailable)
    const plans = new Set(rows.flatMap(({ name, priceId }) => [name.toLowerCase(), priceId]))
    if (listener.connected && seen === changes) {
      if (known.size >= MAX_ACCOUNTS) known.delete(known.keys().next().value!)
      known.set(accountId, { plans, goodUntilMs: performance.now() + MAX_AGE_MS })
    }
    return plans
  }
  return (accountId) => {
    const entry = known.get(accountId)
    return entry && entry.goodUntilMs > performance.now() ? entry.plans : read(accountId)
  }
}
