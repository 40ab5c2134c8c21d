import { loadAuthClient } from '../../lib/auth/session.ts'
import { reportSignIn } from './complete-sign-in.ts'
import { exchangeKeepingSession } from './exchange-keeping-session.ts'

/** `half`: one of the two addresses is confirmed. `void`: the link was used or has expired. */
export type EmailChangeOutcome = 'changed' | 'half' | 'void'

/**
 * Completes a link from an email change and reports the outcome. This browser's session stays, at its assurance level,
 * with a token for the new address; the session from the link is kept only if there was none. Never throws.
 */
export async function completeEmailChange(address: URL): Promise<EmailChangeOutcome> {
  if (address.searchParams.has('message')) return 'half'
  const code = address.searchParams.get('code')
  if (!code) return 'void'
  try {
    const auth = await loadAuthClient()
    const { session } = await exchangeKeepingSession(auth, code)
    if (session) await reportSignIn(session)
  } catch (error) {
    console.error('The session could not be renewed after the change of address:', error)
  }
  return 'changed'
}
