import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { lockCustomer } from '../events/event-context.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { leaseOfCustomer } from '../lease/take-lease.ts'
import { applySession } from './apply-session.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

interface Pending {
  session_id: string
  customer_id: string
}

/**
 * Checks the account's recently opened checkout pages at Stripe, at most every two seconds, so that a returning
 * customer sees the result even if the webhook is late. Failures are logged and left to webhook and reconciliation.
 */
export async function settleCheckouts(deps: Needs, accountId: number): Promise<void> {
  if (!deps.stripe) return
  const { rows } = await sql<Pending>`
    with due as (
      update checkouts set checked_at = app_now() where account_id = ${accountId} and status = 'open' and session_id is not null
        and created_at > app_now() - interval '1 hour' and checked_at < app_now() - interval '2 seconds' returning session_id
    )
    select d.session_id, b.id as customer_id from due d, billing_customers b where b.account_id = ${accountId}
    union all
    select t.session_id, b.id from topups t join billing_customers b using (account_id)
    where t.account_id = ${accountId} and t.status = 'open' and t.session_id is not null
      and t.created_at between app_now() - interval '1 hour' and app_now() - interval '2 seconds'`.execute(
    deps.db.kysely,
  )
  await settle(deps, rows)
}

/** Checks every page and top-up that has been open for 15 minutes. Returns how many it checked. */
export async function settleForgottenCheckouts(deps: Needs): Promise<number> {
  if (!deps.stripe) return 0
  const { rows } = await sql<Pending>`
    select session_id, b.id as customer_id from (
      select session_id, account_id, created_at from checkouts where status = 'open'
      union all select session_id, account_id, created_at from topups where status = 'open') pending
    join billing_customers b using (account_id)
    where session_id is not null and pending.created_at < app_now() - interval '15 minutes'`.execute(deps.db.kysely)
  await settle(deps, rows)
  return rows.length
}

async function settle({ db, log, mail, stripe, secrets, config }: Needs, pending: Pending[]): Promise<void> {
  if (!stripe) return
  for (const { session_id: session, customer_id: customer } of pending) {
    await transactInLease(db, leaseOfCustomer(customer), async (tx) => {
      await lockCustomer(tx, customer)
      await applySession({ tx, stripe, log, mail, secrets, config }, session)
    }).catch((error: Error) => log.warn({ error: error.message }, 'could not check a checkout'))
  }
}
