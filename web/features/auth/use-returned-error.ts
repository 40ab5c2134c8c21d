import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { signInIsPending } from '../../lib/session.ts'

/** A sign-in whose state is used up, too old or of another browser comes back to the root; the login page says so. */
export function useReturnedError(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const parameters = new URL(location.href).searchParams
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
