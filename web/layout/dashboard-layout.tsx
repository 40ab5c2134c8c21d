import { QueryClientProvider } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queryClient } from '../lib/query-client.ts'
import { type SessionUser, useSession } from '../lib/session.ts'
import { PageSpinner } from '../ui/spinner.tsx'
import { TooltipLayer } from '../ui/tooltip-layer.tsx'
import { Drawer } from './drawer.tsx'
import { SandboxBanner } from './sandbox-banner.tsx'
import { Sidebar } from './sidebar.tsx'
import { SiteFooter } from './site-footer.tsx'
import { SiteHeader } from './site-header.tsx'
import { SkipLink } from './skip-link.tsx'
import { layoutText } from './text.ts'

/** Guards what it holds: a spinner while the session is checked, the login page without one, the dashboard's frame with one. */
export function DashboardLayout({ children }: { children: ReactNode }) {
  const { user, loading } = useSession()
  if (loading) return <PageSpinner label={layoutText.checkingSession} />
  if (!user) return <Navigate to="/login" replace />
  return <DashboardFrame user={user}>{children}</DashboardFrame>
}

export function DashboardFrame({ user, children }: { user: SessionUser; children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <SkipLink />
      <SandboxBanner />
      <SiteHeader
        lead={
          <Drawer>
            <Sidebar user={user} />
          </Drawer>
        }
      />
      <div className="lg:flex">
        <aside className="sticky top-(--header-height) hidden h-[calc(100dvh-var(--header-height))] w-72 shrink-0 border-r border-line bg-surface lg:block">
          <Sidebar user={user} />
        </aside>
        <div className="min-w-0 flex-1">
          <main
            id="content"
            className="mx-auto min-h-[calc(100dvh-var(--header-height)-2rem)] max-w-6xl space-y-5 px-4 py-6 sm:px-6 sm:py-8"
          >
            {children}
          </main>
          <SiteFooter />
        </div>
      </div>
      <TooltipLayer />
    </QueryClientProvider>
  )
}
