import { createFileRoute } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useSignInReturn } from '../features/auth/use-sign-in-return.ts'
import { rangeSearch } from '../features/usage/range.ts'
import { layoutText } from '../layout/text.ts'
import { hasStoredSession, useSession } from '../lib/auth/session.ts'
import { PageSpinner } from '../ui/spinner.tsx'

const importHome = () => import('../features/home/home-page.tsx')
const importOverview = () => import('../features/overview/overview-at-root.tsx')

const Home = lazy(importHome)
const Overview = lazy(importOverview)

export const Route = createFileRoute('/')({
  validateSearch: rangeSearch,
  loader: async () => void (await (hasStoredSession() ? importOverview() : importHome())),
  component: Root,
})

/** The root shows the home page to visitors and Overview to signed-in users. */
function Root() {
  const { user, loading } = useSession()
  useSignInReturn()
  return (
    <Suspense fallback={<PageSpinner label={layoutText.checkingSession} />}>
      {user || loading ? <Overview user={user} /> : <Home />}
    </Suspense>
  )
}
