import { useEffect } from 'react'
import { signOutToHome } from '../../lib/sign-out.ts'
import { PageSpinner } from '../../ui/spinner.tsx'
import { authText } from './text.ts'

/** Ends the session and goes to the site root. */
export function LogoutPage() {
  useEffect(() => void signOutToHome(), [])
  return <PageSpinner label={authText.signingOut} />
}
