import { Link, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useRepository, useSettings } from '../lib/settings.ts'
import { ExternalLink } from '../ui/external-link.tsx'
import { ShopLogo } from './shop-logo.tsx'
import { layoutText } from './text.ts'

interface HeaderFrameProps {
  signedIn: boolean
  /** Left of the logo: the drawer button on small screens. */
  lead?: ReactNode
  /** The drawer replaces the links on small screens. */
  compact?: boolean
  children: ReactNode
}

/** The header bar of every page: logo, links, and the account on the right. */
export function HeaderFrame({ signedIn, lead, compact = false, children }: HeaderFrameProps) {
  const { links, publicUrl, shop } = useSettings()
  const repository = useRepository()
  const { pathname } = useLocation()
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur-sm print:hidden">
      <div
        className={clsx(
          'flex min-h-(--header-height) flex-wrap items-center md:flex-nowrap gap-x-1 gap-y-1 px-4 py-1.5 sm:px-6',
          // On public pages the bar is as wide as the page below it.
          !compact && 'mx-auto max-w-6xl',
        )}
      >
        {lead}
        <Link to="/" aria-label={`${shop.name}, home`} className="mr-auto inline-flex rounded-control sm:mr-4">
          <ShopLogo tight={!compact} />
        </Link>
        <nav aria-label="Site" className={compact ? 'hidden md:flex' : 'flex'}>
          <ExternalLink href={links.docs} className="site-link">
            {layoutText.documentation}
          </ExternalLink>
          <ExternalLink
            href={links.pricing}
            aria-current={links.pricing === publicUrl + pathname ? 'page' : undefined}
            className={signedIn ? 'site-link max-sm:hidden' : 'site-link'}
          >
            {layoutText.pricing}
          </ExternalLink>
          {shop.installers && repository && (
            <ExternalLink href={repository} className="site-link max-sm:hidden">
              {layoutText.github}
            </ExternalLink>
          )}
          {signedIn && (
            <Link to="/dashboard" className="site-link">
              {layoutText.dashboard}
            </Link>
          )}
        </nav>
        <div className="ml-auto flex min-w-0 items-center gap-3">{children}</div>
      </div>
    </header>
  )
}
