import { createFileRoute } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useSignInReturn } from '../features/auth/use-sign-in-return.ts'
import { rangeSearch } from '../features/usage/range.ts'
import { SiteHeader } from '../layout/site-header.tsx'
import { layoutText } from '../layout/text.ts'
import { hasStoredSession, useSession } from '../lib/auth/session.ts'
import { loadSettings, useSettings } from '../lib/settings.ts'
import { PageSpinner } from '../ui/spinner.tsx'

const importSell = () => import('../features/sell/sell-page.tsx')
const importHome = () => import('../features/home/home-page.tsx')
const importOverview = () => import('../features/overview/overview-at-root.tsx')

const Sell = lazy(importSell)
const Home = lazy(importHome)
const Overview = lazy(importOverview)

export const Route = createFileRoute('/')({
  validateSearch: rangeSearch,
  loader: async () => {
    if (hasStoredSession()) await importOverview()
    else await ((await loadSettings()).shop.installers ? importSell() : importHome())
  },
  component: Root,
})

/** The root shows Overview to signed-in users; to visitors the shop's home page, or what there is to install. */
function Root() {
  const { user, loading } = useSession()
  const { shop } = useSettings()
  useSignInReturn()
  const Visitors = shop.installers ? Sell : Home
  return (
    <Suspense fallback={<PageSpinner label={layoutText.checkingSession} />}>
      {user || loading ? <Overview user={user} /> : <Visitors header={<SiteHeader />} />}
    </Suspense>
  )
}
