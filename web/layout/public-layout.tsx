import type { ReactNode } from 'react'
import { Notices } from './notices.tsx'
import { PublicHeader } from './public-header.tsx'
import { SiteFooter } from './site-footer.tsx'
import { SkipLink } from './skip-link.tsx'

/** The frame of public pages: standard header, content, footer. */
export function PublicLayout({ header = <PublicHeader />, children }: { header?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <Notices />
      {header}
      <main id="content" className="flex flex-1 flex-col">
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}
