import { loadAuthClient } from '../../lib/session.ts'
import { announce } from './complete-sign-in.ts'
import { redeemBeside } from './redeem-beside.ts'

/** `half`: one of the two addresses agreed. `void`: the link is used up or too old. */
export type EmailChangeOutcome = 'changed' | 'half' | 'void'

/**
 * Where the links of a change of address lead: says how far it is. The session of this browser stays, at its level, and
 * takes a token with the new address; the one that the link begins is kept only where there is no other. Never throws.
 */
export async function completeEmailChange(address: URL): Promise<EmailChangeOutcome> {
  if (address.searchParams.has('message')) return 'half'
  const code = address.searchParams.get('code')
  if (!code) return 'void'
  try {
    const auth = await loadAuthClient()
    const { session } = await redeemBeside(auth, code)
    if (session) await announce(session)
  } catch (error) {
    console.error('The session could not be renewed after the change of address:', error)
  }
  return 'changed'
}
