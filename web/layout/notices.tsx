import { lazy, Suspense } from 'react'
import { useSettings } from '../lib/settings.ts'

/** Drawn by the server; their scripts are loaded only where there is something to say. */
const SandboxBanner = lazy(() => import('./sandbox-banner.tsx'))
const Announcement = lazy(() => import('./announcement.tsx'))

/** What stands above every page. */
export function Notices() {
  const { sandbox, banner } = useSettings()
  return (
    <Suspense>
      {sandbox && <SandboxBanner />}
      {banner && <Announcement banner={banner} />}
    </Suspense>
  )
}
