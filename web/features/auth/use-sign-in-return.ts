import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { signInIsPending } from '../../lib/auth/session.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { authText } from './text.ts'

/**
 * Handles redirects to the root, after a sign-in whose state was used, expired or unknown, and after an emailed
 * confirmation link. Shows the outcome on the login page.
 */
export function useSignInReturn(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const parameters = new URL(location.href).searchParams
    // The text of the message is ignored: anyone can write a URL.
    if (new URLSearchParams(location.hash.slice(1)).has('message')) {
      toast({ title: authText.confirmed, description: authText.confirmedAbout })
      return void navigate({ to: '/login', replace: true })
    }
    if (!parameters.has('error_code')) return
    const reason = parameters.get('error_description')?.slice(0, 200)
    void navigate({
      to: '/login',
      search: { error: 'auth_failed' },
      // Anyone can write a URL: its text is shown only if this browser started a sign-in.
      state: { signInError: signInIsPending() ? reason : undefined },
      replace: true,
    })
  }, [navigate])
}
