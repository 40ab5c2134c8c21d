import { Link, Navigate, useLocation, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { CardPage } from '../../layout/card-page.tsx'
import { useSession } from '../../lib/auth/session.ts'
import { useSettings } from '../../lib/settings.ts'
import { usePageHeading } from '../../ui/page-header.tsx'
import { keepPending, takeSecret } from './pending.ts'
import { SignInButtons } from './sign-in-buttons.tsx'
import { authText, callbackErrorText } from './text.ts'

const linkClass = 'underline underline-offset-4 hover:text-ink'

/** The sign-in card. Signed-in users are redirected to the dashboard. */
export function LoginPage() {
  const { user } = useSession()
  const { error, ...search } = useSearch({ strict: false }) as { error?: string; next?: string }
  // A path of this site, never another site.
  const next = /^\/[a-z][\w/-]*$/.exec(search.next ?? '')?.[0]
  useEffect(() => {
    if (!next) return
    keepPending('page', next)
    takeSecret('entry')
  }, [next])
  const reason = useLocation({ select: (location) => location.state.signInError })
  const heading = usePageHeading('Sign in')
  const { recovery } = useSettings()
  if (user) return <Navigate to={next ? '/auth/enter' : '/dashboard'} replace />
  const failure = reason === authText.denied ? authText.canceled : callbackErrorText(error)
  return (
    <CardPage>
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong">
        {authText.title}
      </h1>
      <p className="mt-1 mb-6 text-muted">{authText.about}</p>
      <SignInButtons
        layout="column"
        initialError={failure && reason && reason !== authText.denied ? `${failure} (${reason})` : failure}
      />
      {recovery && (
        <p className="mt-4 text-pretty text-muted">
          {authText.recover}{' '}
          <Link to="/auth/recover" className={`${linkClass} whitespace-nowrap`}>
            {authText.recoverLink}
          </Link>
          .
        </p>
      )}
      <p className="mt-6 text-pretty text-small text-muted">
        By signing in you agree to the{' '}
        <Link to="/legal/$page" params={{ page: 'terms' }} className={linkClass}>
          Terms of Service
        </Link>{' '}
        and the{' '}
        <Link to="/legal/$page" params={{ page: 'privacy' }} className={linkClass}>
          Privacy Policy
        </Link>
        .
      </p>
    </CardPage>
  )
}
