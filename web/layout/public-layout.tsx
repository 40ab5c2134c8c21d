import type { ReactNode } from 'react'
import { Announcement } from './announcement.tsx'
import { PublicHeader } from './public-header.tsx'
import { SandboxBanner } from './sandbox-banner.tsx'
import { SiteFooter } from './site-footer.tsx'
import { SkipLink } from './skip-link.tsx'

/** The frame of public pages: standard header, content, footer. */
export function PublicLayout({ header = <PublicHeader />, children }: { header?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <SandboxBanner />
      <Announcement />
      {header}
      <main id="content" className="flex flex-1 flex-col">
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}
