import { useEffect } from 'react'
import { signOutToHome } from '../../lib/auth/sign-out.ts'
import { fullTitle } from '../../lib/page-title.ts'
import { ProgressPage } from './progress-page.tsx'
import { authText } from './text.ts'

/** Signs out and redirects to the site root. */
export function LogoutPage() {
  useEffect(() => {
    document.title = fullTitle('Sign out')
    void signOutToHome()
  }, [])
  return <ProgressPage text={authText.signingOut} />
}
