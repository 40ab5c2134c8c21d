import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { operator } from '../../account/operator.ts'
import { sendConfirmation } from '../../auth/codes/send-confirmation.ts'
import { scheduleDeletion } from '../../deletion/deletion.ts'
import { startExport } from '../../export/exports.ts'
import { resendByOperator } from '../../team/invite.ts'
import type { Change } from '../console/run-act.ts'
import type { FoundAccount } from '../find-account.ts'

const PAUSE_SECONDS = 60

/** The owner of an account. Throws conflict if it has none. */
export async function ownerOf(db: Queryable, accountId: number): Promise<{ userId: string; email: string }> {
  const owner = await db
    .selectFrom('account_members as m')
    .innerJoin('profiles as p', 'p.user_id', 'm.user_id')
    .select(['m.user_id as userId', 'p.email'])
    .where('m.account_id', '=', accountId)
    .where('m.role', '=', 'owner')
    .executeTakeFirst()
  if (!owner) throw new AppError('conflict', 'This account has no owner.')
  return owner
}

/** Mails a member a new code to confirm their address. Throws not_found, conflict: confirmed already, and rate_limited. */
export async function resendVerification(
  tx: Queryable,
  deps: Pick<Deps, 'config' | 'mail' | 'secrets'>,
  { id }: Pick<FoundAccount, 'id'>,
  userId: string,
): Promise<Change> {
  if (!deps.mail.enabled) throw new AppError('conflict', 'This installation has no mail server. Set SMTP_URL.')
  const { rows } = await sql<{ email: string | null; confirmed: boolean; recent: boolean }>`
    select u.email, u.email_confirmed_at is not null as confirmed,
      coalesce(u.confirmation_sent_at > app_now() - make_interval(secs => ${PAUSE_SECONDS}), false) as recent
    from account_members m join auth.users u on u.id = m.user_id
    where m.account_id = ${id} and m.user_id = ${userId} and u.deleted_at is null for update of u`.execute(tx)
  const user = rows[0]
  if (!user?.email) throw new AppError('not_found', 'No person with an email address matches in this account.')
  if (user.confirmed) throw new AppError('conflict', `${user.email} is already confirmed.`)
  if (user.recent)
    throw new AppError('rate_limited', 'This person got an email less than a minute ago. Wait a minute.', {
      retryAfterSeconds: PAUSE_SECONDS,
    })
  await sendConfirmation(tx, deps, { userId, email: user.email, redirectTo: deps.config.PUBLIC_URL, challenge: null })
  return {}
}

/** Mails an open invitation of this address again, or else a code to the member who has it. Throws not_found. */
export async function resendTo(
  tx: Queryable,
  deps: Pick<Deps, 'config' | 'limits' | 'mail' | 'secrets'>,
  account: Pick<FoundAccount, 'id'>,
  email: string,
): Promise<Change> {
  const { rows } = await sql<{ invitation: string | null; member: string | null }>`
    select (select public_id from account_invitations where account_id = ${account.id} and closed_at is null
        and email = lower(${email})) as invitation,
      (select m.user_id from account_members m join auth.users u on u.id = m.user_id
        where m.account_id = ${account.id} and lower(u.email) = lower(${email})) as member`.execute(tx)
  const { invitation, member } = rows[0]!
  if (invitation) await resendByOperator(tx, deps, account.id, invitation)
  else if (member) return resendVerification(tx, deps, account, member)
  else throw new AppError('not_found', `Nobody in this account has the address ${email}.`)
  return {}
}

/** Starts an export of the owner's data. They alone get it. Returns null if one is being built. */
export async function exportData(tx: Queryable, { id }: Pick<FoundAccount, 'id'>): Promise<Change | null> {
  const { userId } = await ownerOf(tx, id)
  return (await startExport(tx, userId, operator)) ? {} : null
}

/** Schedules the deletion of the owner with all their workspaces. Throws conflict while one of them has other members. */
export async function deleteCustomer(
  tx: Queryable,
  deps: Pick<Deps, 'config' | 'log' | 'mail' | 'stripe'>,
  { id }: Pick<FoundAccount, 'id'>,
): Promise<{ after: { deletion_due_at: string } }> {
  const deletion = await scheduleDeletion(tx, deps, await ownerOf(tx, id), operator)
  return { after: { deletion_due_at: deletion!.due_at } }
}
