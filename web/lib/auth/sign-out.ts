import { personalStorage } from '../personal-storage.ts'
import { selectWorkspace } from '../workspace.ts'
import { signOut } from './session.ts'
import { leaveView, view } from './view.ts'

let opened: BroadcastChannel | undefined

/**
 * One channel for both directions, since a channel does not receive its own messages. Browser only, not during
 * prerendering.
 */
function channel(): BroadcastChannel {
  opened ??= new BroadcastChannel('finmeter.signed-out')
  return opened
}

/** Ends the session and clears what this browser stored for the user: another user may be next. */
export async function endSession(): Promise<void> {
  if (view) return leaveView()
  await signOut()
  selectWorkspace(null)
  personalStorage.forget()
  channel().postMessage('')
}

/** Signs out, then loads the site root as a new document, so that nothing stays in memory. */
export async function signOutToHome(): Promise<void> {
  if (view) return leaveView()
  await endSession()
  location.assign('/')
}

/**
 * When the user signs out in another tab, this one leaves the dashboard too, discarding unsaved input and the selected
 * workspace.
 */
export function followSignOut(): void {
  channel().onmessage = () => {
    selectWorkspace(null)
    if (location.pathname.startsWith('/dashboard')) location.replace('/login')
  }
}
