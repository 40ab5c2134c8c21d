import { signOut } from './session.ts'

/** Ends the session, then loads the site root afresh, so that nothing of the session stays in memory. */
export async function signOutToHome(): Promise<void> {
  await signOut()
  location.assign('/')
}
