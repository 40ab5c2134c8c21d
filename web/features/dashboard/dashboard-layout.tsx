import { QueryClientProvider } from '@tanstack/react-query'
import { Navigate, useMatches } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { InMain } from '../../layout/in-main.ts'
import { Notices } from '../../layout/notices.tsx'
import { SiteFooter } from '../../layout/site-footer.tsx'
import { SiteHeader } from '../../layout/site-header.tsx'
import { SkipLink } from '../../layout/skip-link.tsx'
import { layoutText } from '../../layout/text.ts'
import { type SessionUser, useSession } from '../../lib/auth/session.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { pageHeading } from '../../lib/page-headings.ts'
import { hasUnsaved } from '../../lib/unsaved.ts'
import { ComingPageHeader } from '../../ui/page-header.tsx'
import { PageSpinner } from '../../ui/spinner.tsx'
import { TooltipLayer } from '../../ui/tooltip/tooltip-layer.tsx'
import { keepPending } from '../auth/pending.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { CommandPaletteHost } from './command-palette-host.tsx'
import { Drawer } from './drawer.tsx'
import { SessionEnded } from './session-ended.tsx'
import { Sidebar } from './sidebar.tsx'

/**
 * Guards its content: shows a spinner during the session check, and redirects to the login page without a session. If a
 * session ends while there is unsaved input, the page stays mounted but hidden until the user signs in again.
 */
export function DashboardLayout({ children }: { children: ReactNode }) {
  const { user, loading } = useSession()
  const last = useRef<SessionUser | null>(null)
  const missing = useMatches({ select: (matches) => matches.at(-1)?.routeId === '/dashboard' })
  if (user && last.current && last.current.id !== user.id) location.reload()
  last.current = user ?? last.current
  const ended = !user && !loading
  if (ended && !(last.current && hasUnsaved())) {
    // A visitor returns to this page after signing in, if it exists. Someone who signed out does not.
    if (!last.current && !missing) keepPending('page', location.pathname + location.search)
    return <Navigate to="/login" replace />
  }
  return (
    <>
      <div className={ended ? 'invisible' : 'contents'}>
        <DashboardFrame user={last.current}>{children}</DashboardFrame>
      </div>
      {ended && <SessionEnded />}
    </>
  )
}

/** The frame of every dashboard page; without a user, it shows the session check. */
export function DashboardFrame({ user, children }: { user: SessionUser | null; children?: ReactNode }) {
  return (
    <SecondFactorGate>
      <QueryClientProvider client={queryClient}>
        <div className={user ? 'contents' : 'session-unknown contents'}>
          <SkipLink />
          <Notices />
          <SiteHeader
            lead={
              <Drawer>
                <Sidebar user={user} />
              </Drawer>
            }
          />
          <div className="lg:flex">
            <aside className="hidden w-72 shrink-0 border-r border-line bg-surface lg:block">
              <div className="sticky top-(--header-height) h-[calc(100dvh-var(--header-height))]">
                <Sidebar user={user} />
              </div>
            </aside>
            <div className="min-w-0 flex-1">
              <main
                id="content"
                className="mx-auto min-h-[calc(100dvh-var(--header-height)-2rem)] max-w-6xl px-4 py-6 sm:px-6 sm:py-8"
              >
                <InMain value={true}>
                  {user ? <div className="space-y-5">{children}</div> : <SessionCheck />}
                  {user && <CommandPaletteHost />}
                  <TooltipLayer />
                </InMain>
              </main>
              <SiteFooter />
            </div>
          </div>
        </div>
      </QueryClientProvider>
    </SecondFactorGate>
  )
}

/** The page's heading and the spinner during the session check. */
function SessionCheck() {
  const heading = useMatches({ select: (matches) => pageHeading(matches.at(-1)?.routeId ?? '') })
  return (
    <>
      {heading && <ComingPageHeader {...heading} />}
      <PageSpinner label={layoutText.checkingSession} />
    </>
  )
}
