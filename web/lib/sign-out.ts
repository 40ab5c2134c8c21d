import { personalStorage } from './personal-storage.ts'
import { signOut } from './session.ts'
import { selectWorkspace } from './workspace.ts'

let opened: BroadcastChannel | undefined

/** One object for both ends, since a channel does not hear itself; opened in a browser only, not where pages are prerendered. */
function channel(): BroadcastChannel {
  opened ??= new BroadcastChannel('finmeter.signed-out')
  return opened
}

/** Ends the session with all that this browser keeps for the person: somebody else may be next. */
export async function endSession(): Promise<void> {
  await signOut()
  selectWorkspace(null)
  personalStorage.forget()
  channel().postMessage('')
}

/** Ends the session, then loads the site root afresh, so that nothing of the session stays in memory. */
export async function signOutToHome(): Promise<void> {
  await endSession()
  location.assign('/')
}

/**
 * When the person signs out in another tab, this one leaves the dashboard too, whatever was typed in it, and the workspace
 * that it was in.
 */
export function followSignOut(): void {
  channel().onmessage = () => {
    selectWorkspace(null)
    if (location.pathname.startsWith('/dashboard')) location.replace('/login')
  }
}
