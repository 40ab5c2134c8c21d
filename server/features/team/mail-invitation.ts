import type { GivenRole } from '#contract/team.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { invitationToken } from './invitation-token.ts'

const MAX_NAME_CHARACTERS = 80

export interface InvitationMail {
  publicId: string
  sends: number
  email: string
  role: GivenRole
  /** Name or e-mail address of who invites. */
  invitedBy: string
}

/** Throws conflict where this installation cannot send mail: an invitation would reach nobody. */
export function requireMail({ mail }: Pick<Deps, 'mail'>): void {
  if (!mail.enabled)
    throw new AppError(
      'conflict',
      'This installation has no mail server, so no invitation can be sent. Ask its operator to set SMTP_URL.',
    )
}

/** Puts the mail with the link into the outbox, in the transaction that made the invitation. */
export async function mailInvitation(
  tx: Queryable,
  { config, mail, secrets }: Pick<Deps, 'config' | 'mail' | 'secrets'>,
  { publicId, sends, email, role, invitedBy }: InvitationMail,
): Promise<void> {
  // After the #, so that the secret reaches no server log and no referrer.
  const url = `${config.PUBLIC_URL}/invitation#${invitationToken(secrets, publicId, sends)}`
  const who = [...invitedBy].slice(0, MAX_NAME_CHARACTERS).join('')
  await mail.send(tx, {
    to: email,
    subject: `${who} invites you to a Finmeter workspace`,
    ...writeMail({
      heading: 'Join a Finmeter workspace',
      paragraphs: [
        `${who} invites you as ${role === 'admin' ? 'an admin' : 'a member'}.`,
        'The link works for 7 days, for the e-mail address that this mail was sent to.',
      ],
      action: { label: 'See the invitation', url },
      note: 'You get this mail because somebody entered your address. Ignore it if you do not know them: nothing happens.',
    }),
  })
}
