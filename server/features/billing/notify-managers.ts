import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { MailContent } from '../../mail/write-mail.ts'

export interface Notice {
  accountId: number
  /** `ref` is what the email is about. Each (kind, ref) is sent once. */
  kind: string
  ref: string
  subject: string
  content: Omit<MailContent, 'note' | 'workspace'>
}

/**
 * Emails the owners and admins of an account, once per (kind, ref), in the caller's transaction. Without a mail server
 * only the record is written. Returns false when it was already sent.
 */
export async function notifyManagers(
  tx: Queryable,
  { mail, log }: Pick<Deps, 'mail' | 'log'>,
  notice: Notice,
): Promise<boolean> {
  const { accountId, kind, ref, subject, content } = notice
  const noted = await tx
    .insertInto('billing_notices')
    .values({ account_id: accountId, kind, ref })
    .onConflict((conflict) => conflict.doNothing())
    .returning('kind')
    .executeTakeFirst()
  if (!noted) return false
  if (!mail.enabled) return true
  const managers = await tx
    .selectFrom('account_members as m')
    .innerJoin('profiles as p', 'p.user_id', 'm.user_id')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['p.email', 'a.name'])
    .where('m.account_id', '=', accountId)
    .where('m.role', 'in', ['owner', 'admin'])
    .execute()
  for (const { email, name } of managers) {
    const note = 'You received this email because you manage billing of this workspace.'
    // An unusable address must not block billing.
    await mail.send(tx, { to: email, kind, subject, ...content, workspace: name, note }).catch((error: Error) => {
      if (error.name !== 'ZodError') throw error
      log.warn({ account: accountId }, 'a manager has no email address')
    })
  }
  return true
}
