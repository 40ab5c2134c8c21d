import { Link } from '@tanstack/react-router'
import { useSession } from '../lib/auth/session.ts'
import { signOutToHome } from '../lib/auth/sign-out.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { HeaderFrame } from './header-frame.tsx'
import { layoutText } from './text.ts'

/** The standard header, for every page outside the dashboard and the root. */
export function PublicHeader() {
  const { user, loading } = useSession()
  return (
    <HeaderFrame signedIn={user !== null}>
      {user && (
        <>
          <span className="hidden min-w-0 truncate text-muted md:inline">
            {layoutText.welcome(user.email ?? layoutText.defaultName)}
          </span>
          <Button size="small" onClick={signOutToHome}>
            {layoutText.signOut}
          </Button>
        </>
      )}
      {!user && <LogInLink hidden={loading} />}
    </HeaderFrame>
  )
}

/**
 * Reserves its space during the session check, so that the header does not shift. `visitor-only` hides it from the
 * first paint if a session is stored.
 */
export function LogInLink({ hidden }: { hidden?: boolean }) {
  return (
    <Link
      to="/login"
      className={buttonClass({ look: 'primary', size: 'small', className: hidden ? 'invisible' : 'visitor-only' })}
    >
      {layoutText.logIn}
    </Link>
  )
}
