import { lazy, Suspense } from 'react'
import { useSettings } from '../lib/settings.ts'
import { SandboxBanner } from './sandbox-banner.tsx'

/** Rare, and drawn by the server, so its script is loaded only where there is one. */
const Announcement = lazy(() => import('./announcement.tsx'))

/** What stands above every page. */
export function Notices() {
  const { sandbox, banner } = useSettings()
  return (
    <>
      {sandbox && <SandboxBanner />}
      {banner && (
        <Suspense>
          <Announcement banner={banner} />
        </Suspense>
      )}
    </>
  )
}
