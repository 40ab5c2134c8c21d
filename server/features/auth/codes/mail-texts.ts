import type { Letter } from '../../../mail/send-mail.ts'
import type { MailContent } from '../../../mail/write-mail.ts'

export type MailKind =
  | 'confirm'
  | 'magic link'
  | 'recovery'
  | 'invite'
  | 'change email, old address'
  | 'change email, new address'
  | 'reauthenticate'

interface Parts {
  code: string
  link: string
  /** The name of the installation. */
  shop: string
}

type Text = Omit<MailContent, 'code' | 'action'> & { subject: string; label?: string }

const unasked = 'If you did not ask for this, ignore this email. Nothing changes without the code or the link.'

const textsOf = (shop: string): Record<MailKind, Text> => ({
  confirm: {
    subject: 'Confirm your email address',
    heading: 'Confirm your email address',
    paragraphs: ['Enter this code where you signed up, or open the link. The code works for 10 minutes.'],
    label: 'Confirm address',
    note: unasked,
  },
  'magic link': {
    subject: 'Your sign-in code',
    heading: `Sign in to ${shop}`,
    paragraphs: ['Enter this code where you asked for it, or open the link. The code works for 10 minutes.'],
    label: 'Sign in',
    note: unasked,
  },
  recovery: {
    subject: 'Recover your account',
    heading: 'Recover your account',
    paragraphs: ['Enter this code where you asked for it, or open the link to sign in. The code works for 10 minutes.'],
    label: 'Sign in',
    note: unasked,
  },
  invite: {
    subject: `You are invited to ${shop}`,
    heading: 'You are invited',
    paragraphs: [
      `Someone created a ${shop} account for you. Open the link to accept it, or enter this code where you sign in.`,
    ],
    label: 'Accept the invitation',
    note: unasked,
  },
  'change email, old address': {
    subject: 'Confirm the change of your email address',
    heading: 'Your email address is about to change',
    paragraphs: [
      'Someone asked to change the email address of your account. It changes once both addresses confirm: enter this code, or open the link.',
    ],
    label: 'Confirm the change',
    note: 'If this was not you, do not open the link. Sign out all other sessions in your security settings.',
  },
  'change email, new address': {
    subject: 'Confirm your new email address',
    heading: 'Confirm your new email address',
    paragraphs: ['Enter this code where you changed your address, or open the link. The code works for 10 minutes.'],
    label: 'Confirm address',
    note: unasked,
  },
  reauthenticate: {
    subject: 'Your confirmation code',
    heading: 'Confirm that it is you',
    paragraphs: ['Enter this code to continue. It works for 10 minutes.'],
    note: 'If you did not ask for this, someone else may be signed in as you. Sign out all other sessions in your security settings.',
  },
})

/** The mail that carries a one-time token. */
export function mailFor(kind: MailKind, { code, link, shop }: Parts): Omit<Letter, 'to' | 'kind'> {
  const { label, ...content } = textsOf(shop)[kind]
  return { ...content, code, ...(label && { action: { label, url: link } }) }
}

/** Notifies the old address of a change that it did not confirm, as when an account is disconnected. */
export function addressChangedMail(newAddress: string, shop: string): Omit<Letter, 'to' | 'kind'> {
  return {
    subject: 'The email address of your account changed',
    heading: 'Your email address changed',
    paragraphs: [
      `Your ${shop} account now uses ${newAddress}, because the account that provided your old address was disconnected.`,
    ],
    note: 'If this was not you, sign in, and sign out all other sessions in your security settings.',
  }
}
