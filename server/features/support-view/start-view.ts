import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { hashOfView, VIEW_MINUTES } from './view-token.ts'

interface Viewed {
  accountId: number
  operatorId: number
  token: string
  /** The hash of the console's session, whose end ends the view; null: it was started on the command line. */
  consoleSession: Buffer | null
}

/**
 * Starts a view of an account, writes it in the account's audit log and mails its owner. Returns its end. Throws conflict for an account
 * without an owner, and for one of an operator.
 */
export async function startView(
  tx: Queryable,
  { mail, log }: Pick<Deps, 'mail' | 'log'>,
  { accountId, operatorId, token, consoleSession }: Viewed,
): Promise<{ expiresAt: Date; ownerEmail: string; userId: string }> {
  const owner = await ownerOf(tx, accountId)
  const { expires_at } = await tx
    .insertInto('support_views')
    .values({
      hash: hashOfView(token),
      operator_id: operatorId,
      account_id: accountId,
      user_id: owner.userId,
      console_session_hash: consoleSession,
      expires_at: sql<Date>`app_now() + make_interval(mins => ${VIEW_MINUTES})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  await audit(tx, { accountId, actor: operator, action: 'account.viewed_by_support' })
  if (mail.enabled && owner.email)
    await mail
      .send(tx, {
        to: owner.email,
        kind: 'support view',
        workspace: owner.accountName,
        subject: 'Support is viewing your account',
        heading: 'Support is viewing your account',
        paragraphs: [
          `An operator of ${mail.shopName()} opened a view of your dashboard. It is read-only, shows no API keys, and ends after ${VIEW_MINUTES} minutes at the latest.`,
          'Its start and its end are in your audit log.',
        ],
        note: 'You received this email because you own this account.',
      })
      .catch((error: Error) => {
        if (error.name !== 'ZodError') throw error
        log.warn({ account: accountId }, 'an owner has no email address')
      })
  return { expiresAt: expires_at, ownerEmail: owner.email, userId: owner.userId }
}

async function ownerOf(tx: Queryable, accountId: number) {
  const { rows } = await sql<{ userId: string; email: string; accountName: string; isOperator: boolean }>`
    select m.user_id as "userId", p.email, a.name as "accountName",
      exists (select from operators o where o.user_id = m.user_id or o.email = lower(p.email)) as "isOperator"
    from account_members m join profiles p on p.user_id = m.user_id join accounts a on a.id = m.account_id
    where m.account_id = ${accountId} and m.role = 'owner'`.execute(tx)
  const owner = rows[0]
  if (!owner) throw new AppError('conflict', 'This account has no owner, so its dashboard cannot be viewed.')
  if (owner.isOperator)
    throw new AppError('conflict', "This account belongs to an operator. Operators' dashboards cannot be viewed.")
  return owner
}
