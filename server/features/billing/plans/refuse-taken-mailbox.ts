import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'

/**
 * Refuses the first free plan of an account if somebody else with the mailbox of its owner has redeemed one. Accounts of
 * one mailbox wait for each other until the transaction ends. Throws conflict.
 */
export async function refuseTakenMailbox(tx: Queryable, accountId: number): Promise<void> {
  const { rows: owners } = await sql<{ user_id: string; mailbox: string }>`
    select p.user_id, mailbox_of(p.email) as mailbox from account_members m join profiles p on p.user_id = m.user_id
    where m.account_id = ${accountId} and m.role = 'owner' and p.email <> ''`.execute(tx)
  const [owner] = owners
  if (!owner) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`free plan of ${owner.mailbox}`}, 0))`.execute(tx)
  const { rows } = await sql`
    select from profiles p
    join account_members m on m.user_id = p.user_id and m.role = 'owner'
    join plan_redemptions r on r.account_id = m.account_id and r.kind = 'free'
    where mailbox_of(p.email) = ${owner.mailbox} and p.email <> '' and p.user_id <> ${owner.user_id} limit 1`.execute(
    tx,
  )
  if (rows.length > 0)
    throw new AppError(
      'conflict',
      'Another account with your mailbox has already used the free plan. Sign in with that address, or choose a paid plan.',
    )
}
