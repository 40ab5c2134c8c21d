import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'

/** Of the owner's mailbox, to be kept with the redemption; null: the owner has no address. */
export async function ownerMailbox(
  tx: Queryable,
  accountId: number,
): Promise<{ userId: string; mailbox: string; hash: string } | null> {
  const { rows } = await sql<{ userId: string; mailbox: string; hash: string }>`
    select p.user_id as "userId", mailbox_of(p.email) as mailbox,
      encode(sha256(convert_to(mailbox_of(p.email), 'UTF8')), 'hex') as hash
    from account_members m join profiles p on p.user_id = m.user_id
    where m.account_id = ${accountId} and m.role = 'owner' and p.email <> ''`.execute(tx)
  return rows[0] ?? null
}

/**
 * Refuses the first free plan of an account if somebody else redeemed one who has the mailbox of its owner, or had it
 * then. Accounts of one mailbox wait for each other until the transaction ends. Throws conflict.
 */
export async function refuseTakenMailbox(tx: Queryable, accountId: number): Promise<void> {
  const owner = await ownerMailbox(tx, accountId)
  if (!owner) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`free plan of ${owner.mailbox}`}, 0))`.execute(tx)
  const { rows } = await sql`
    select from profiles p
    join account_members m on m.user_id = p.user_id and m.role = 'owner'
    join plan_redemptions r on r.account_id = m.account_id and r.kind = 'free'
    where mailbox_of(p.email) = ${owner.mailbox} and p.email <> '' and p.user_id <> ${owner.userId}
    union all
    select from plan_redemptions r
    where r.mailbox_hash = ${owner.hash} and r.kind = 'free'
      and not exists (select from account_members m
        where m.account_id = r.account_id and m.user_id = ${owner.userId} and m.role = 'owner')
    limit 1`.execute(tx)
  if (rows.length > 0)
    throw new AppError(
      'conflict',
      'Another account with your mailbox has already used the free plan. Sign in with that address, or choose a paid plan.',
    )
}
