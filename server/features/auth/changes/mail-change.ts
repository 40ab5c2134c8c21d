import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '../../../db/database.ts'
import type { MailContent } from '../../../mail/write-mail.ts'
import type { AuthDeps } from '../deps.ts'

/**
 * A change of how a user signs in. `name` is the display name of the provider or factor, `email` the user's address before
 * the change if that replaced it: the link must not bring back an address that the user left in another way.
 */
export type AccessChange =
  | { change: 'identity_linked'; name: string; identityId: string }
  | { change: 'identity_unlinked'; name: string; identity: object; email: string | null }
  | { change: 'factor_removed'; name: string; factor: object }
  | { change: 'factor_added'; name: string }
  | { change: 'password_changed'; name: string }

const providers: Record<string, string> = { google: 'Google', github: 'GitHub', email: 'email', phone: 'phone' }
export const providerName = (provider: string): string => providers[provider] ?? provider

const unasked =
  'If this was not you, someone else has used your account. Sign in, sign out all other sessions in your security settings, and change your password if you have one.'

function textOf(
  { change, name }: AccessChange,
  shop: string,
): Omit<MailContent, 'action' | 'note'> & { subject: string; undo?: string } {
  if (change === 'identity_linked')
    return {
      subject: 'An account was connected',
      heading: `${name} was connected to your account`,
      paragraphs: [`You can now sign in to your ${shop} account with this ${name} account.`],
      undo: 'Disconnect it',
    }
  if (change === 'identity_unlinked')
    return {
      subject: 'An account was disconnected',
      heading: `${name} was disconnected from your account`,
      paragraphs: [`You can no longer sign in to your ${shop} account with that ${name} account.`],
      undo: 'Connect it again',
    }
  if (change === 'factor_removed')
    return {
      subject: 'A second factor was removed',
      heading: 'A second factor was removed',
      paragraphs: [`${name} no longer protects your ${shop} account.`],
      undo: 'Restore it',
    }
  if (change === 'password_changed')
    return {
      subject: 'Your password was changed',
      heading: 'Your password was changed',
      paragraphs: [`Sign in to your ${shop} account with the new password. All other sessions were signed out.`],
    }
  return {
    subject: 'A second factor was added',
    heading: 'A second factor was added',
    paragraphs: [`Signing in to your ${shop} account now asks for a code from ${name}.`],
  }
}

/**
 * Mails a change to the addresses of the user, in the transaction of the change. Except for an added factor
 * and a password, the mail has a link that undoes the change for 72 hours: a stolen mailbox must not be able to remove a
 * factor.
 */
export async function mailChange(
  tx: Queryable,
  { mail, config }: AuthDeps,
  { userId, to }: { userId: string; to: readonly (string | null)[] },
  change: AccessChange,
): Promise<void> {
  const addresses = [...new Set(to.filter((address) => address !== null))]
  if (!mail.enabled || addresses.length === 0) return
  const { subject, undo, ...content } = textOf(change, mail.shopName())
  if (!undo || change.change === 'factor_added' || change.change === 'password_changed') {
    for (const address of addresses)
      await mail.send(tx, { to: address, kind: change.change, subject, ...content, note: unasked })
    return
  }
  const link = randomBytes(32).toString('base64url')
  const { name: _name, change: kind, ...kept } = change
  await tx
    .insertInto('auth.undo_links')
    .values({ link_hash: hashUndoLink(link), user_id: userId, change: kind, kept: JSON.stringify(kept) })
    .execute()
  const action = { label: undo, url: `${config.PUBLIC_URL}/auth/v1/undo?token=${link}` }
  const note = `${unasked} The link works for 72 hours and signs out every session.`
  for (const address of addresses) await mail.send(tx, { to: address, kind, subject, ...content, action, note })
}

export const hashUndoLink = (link: string): Buffer => createHash('sha256').update(link).digest()
