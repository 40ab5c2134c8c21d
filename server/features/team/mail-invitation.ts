import { sql } from 'kysely'
import type { GivenRole } from '#contract/team.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { nameInMail } from '../../mail/name-in-mail.ts'
import { linkToken } from '../../secrets/link-token.ts'

export interface InvitationMail {
  publicId: string
  sends: number
  email: string
  role: GivenRole
  accountId: number
  inviter: { userId: string; full_name: string | null; email: string | null }
}

/** Throws conflict if this installation cannot send mail, because invitations would never arrive. */
export function requireMail({ mail }: Pick<Deps, 'mail'>): void {
  if (!mail.enabled)
    throw new AppError(
      'conflict',
      'This installation has no mail server, so no invitation can be sent. Ask its operator to set SMTP_URL.',
    )
}

/**
 * Queues the mail with the link, in the transaction that created the invitation. Its recipients may be strangers, so the
 * names of sender and workspace may not contain a URL or address, and mails are limited per sender, mailbox and installation. Revoked
 * invitations still count. Throws rate_limited.
 */
export async function mailInvitation(
  tx: Queryable,
  { config, limits, mail, secrets }: Pick<Deps, 'config' | 'limits' | 'mail' | 'secrets'>,
  { publicId, sends, email, role, inviter, accountId }: InvitationMail,
): Promise<void> {
  // In the fragment, so that the secret appears in no server log or referrer.
  const url = `${config.PUBLIC_URL}/invitation#${linkToken(secrets, 'account_invitations.token', publicId, sends)}`
  const inviterName = nameInMail(inviter.full_name) ?? inviter.email ?? 'Someone'
  const { rows } = await sql<{ mailbox: string }>`select mailbox_of(${email}) as mailbox`.execute(tx)
  await limits.count('invitationMail', { person: inviter.userId, recipient: rows[0]!.mailbox })
  const { name } = await tx.selectFrom('accounts').select('name').where('id', '=', accountId).executeTakeFirstOrThrow()
  const workspace = nameInMail(name)
  await mail.send(tx, {
    to: email,
    kind: 'invitation',
    ref: publicId,
    workspace: name,
    subject: `Invitation to a ${mail.shopName()} workspace`,
    heading: `Join a ${mail.shopName()} workspace`,
    paragraphs: [
      `${inviterName} invites you to ${workspace ? `the workspace ${workspace}` : 'their workspace'} as ${role === 'admin' ? 'an admin' : 'a member'}.`,
      'The link works for 7 days, and only for this email address.',
    ],
    action: { label: 'View invitation', url },
    note: 'You received this email because someone invited this address. If you do not know them, ignore it.',
  })
}
