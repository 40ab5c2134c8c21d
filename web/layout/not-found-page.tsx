import { Link } from '@tanstack/react-router'
import { useContext } from 'react'
import { useSession } from '../lib/auth/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { usePageHeading } from '../ui/page-header.tsx'
import { InMain } from './in-main.ts'
import { PublicLayout } from './public-layout.tsx'
import { layoutText } from './text.ts'

/** Shown for unknown URLs, inside the dashboard in its frame. */
export function NotFoundPage() {
  const { user } = useSession()
  const heading = usePageHeading('Page not found')
  const content = (
    <div className="grid flex-1 place-items-center px-4 py-16 text-center">
      <div>
        <p className="font-mono text-muted figures">404</p>
        <h1 ref={heading} tabIndex={-1} className="mt-2 text-title font-strong">
          Page not found
        </h1>
        <p className="mt-1 text-pretty text-muted">
          There is nothing at this address. It may have moved, or the link may be mistyped.
        </p>
        <div className="mt-6 flex flex-wrap justify-center gap-2">
          <Link to="/" className={buttonClass({ look: 'primary' })}>
            Home
          </Link>
          <a href="/docs" className={buttonClass()}>
            {layoutText.documentation}
          </a>
          {user && (
            <Link to="/dashboard" className={buttonClass()}>
              {layoutText.dashboard}
            </Link>
          )}
        </div>
      </div>
    </div>
  )
  return useContext(InMain) ? content : <PublicLayout>{content}</PublicLayout>
}
