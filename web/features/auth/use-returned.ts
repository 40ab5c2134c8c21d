import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { signInIsPending } from '../../lib/session.ts'
import { toast } from '../../ui/toast-store.ts'
import { authText } from './text.ts'

/**
 * A sign-in whose state is used up, too old or of another browser comes back to the root, and so does whoever confirmed
 * an address by a mailed link; the login page says so.
 */
export function useReturned(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const parameters = new URL(location.href).searchParams
    // Only that there is news is taken from the address, not its words: those may be anybody's.
    if (new URLSearchParams(location.hash.slice(1)).has('message')) {
      toast({ title: authText.confirmed, description: authText.confirmedAbout })
      return void navigate({ to: '/login', replace: true })
    }
    if (!parameters.has('error_code')) return
    const reason = parameters.get('error_description')?.slice(0, 200)
    void navigate({
      to: '/login',
      search: { error: 'auth_failed' },
      // Words in an address may be anybody's: they are shown only where a sign-in was begun.
      state: { signInError: signInIsPending() ? reason : undefined },
      replace: true,
    })
  }, [navigate])
}
