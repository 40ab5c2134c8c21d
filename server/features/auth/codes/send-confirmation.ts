import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { Challenge } from '../challenge.ts'
import type { AuthDeps } from '../deps.ts'
import { mailCode } from './send-code.ts'

export interface MailTarget {
  userId: string
  email: string
  redirectTo: string
  challenge: Challenge | null
}

/**
 * Mails the confirmation of a sign-up, which signs in on click. `clearsUnproven`: the person who asked may not be the one
 * who set the password of the account.
 */
export async function sendConfirmation(
  tx: Queryable,
  deps: Pick<AuthDeps, 'config' | 'secrets' | 'mail'>,
  { userId, email, ...target }: MailTarget,
  clearsUnproven = false,
): Promise<void> {
  await mailCode(tx, deps, {
    ...target,
    userId,
    purpose: 'confirmation',
    relatesTo: email,
    method: 'email/signup',
    kind: 'confirm',
    verifyType: 'signup',
    clearsUnproven,
  })
  await tx.updateTable('auth.users').set({ confirmation_sent_at: sql`app_now()` }).where('id', '=', userId).execute()
  await noteSecurityEvent(tx, userId, 'auth.code_sent', 'confirmation')
}

/** Mails a code and link that sign in an existing user. */
export async function sendRecovery(
  tx: Queryable,
  deps: AuthDeps,
  kind: 'magic link' | 'recovery',
  { userId, email, ...target }: MailTarget,
): Promise<void> {
  const name = kind === 'recovery' ? 'recovery' : 'magiclink'
  await mailCode(tx, deps, {
    ...target,
    userId,
    purpose: 'recovery',
    relatesTo: email,
    method: name,
    kind,
    verifyType: name,
  })
  await tx.updateTable('auth.users').set({ recovery_sent_at: sql`app_now()` }).where('id', '=', userId).execute()
  await noteSecurityEvent(tx, userId, 'auth.code_sent', name)
}
