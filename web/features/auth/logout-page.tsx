import { useEffect } from 'react'
import { signOutToHome } from '../../lib/sign-out.ts'
import { ProgressPage } from './progress-page.tsx'
import { authText } from './text.ts'

/** Ends the session and goes to the site root. */
export function LogoutPage() {
  useEffect(() => {
    document.title = 'Log out · Finmeter'
    void signOutToHome()
  }, [])
  return <ProgressPage text={authText.signingOut} />
}
