import { Link, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { layoutText } from '../../layout/text.ts'
import type { SessionUser } from '../../lib/auth/session.ts'
import { useSettings } from '../../lib/settings.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { ArrowUpRight, BookOpen, Wrench } from '../../ui/icons/dashboard.ts'
import { Search } from '../../ui/icons/public.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { tooltip } from '../../ui/tooltip/tooltip.ts'
import { openPaletteEvent } from './command-palette-host.tsx'
import { currentPage, dashboardPages } from './navigation.ts'
import { dashboardText } from './text.ts'
import { WorkspaceSwitch } from './workspace-switch.tsx'

const rowClass = 'flex h-9 items-center gap-3 rounded-control px-3 transition-colors duration-150 pointer-coarse:h-11'

/** The dashboard's navigation, in the fixed sidebar and in the drawer. Null: no user yet. */
export function Sidebar({ user }: { user: SessionUser | null }) {
  const { links } = useSettings()
  const current = useLocation({ select: (location) => currentPage(location.pathname) })
  const external = [
    { name: layoutText.documentation, href: links.docs, icon: BookOpen },
    { name: dashboardText.mcpTools, href: links.toolsDocs, icon: Wrench },
  ]
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-4">
      {user ? (
        <WorkspaceSwitch user={user} />
      ) : (
        <div className="flex items-center gap-3 px-1 py-1">
          <Skeleton className="size-9 rounded-full" />
          <Skeleton className="h-5 w-28" />
        </div>
      )}
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => dispatchEvent(new Event(openPaletteEvent))}
        className="flex h-9 shrink-0 items-center gap-3 rounded-control border border-line-strong px-3 text-muted transition-colors duration-150 hover:text-ink pointer-coarse:h-11"
      >
        <Search aria-hidden="true" className="size-4" />
        {dashboardText.search}
        <span aria-hidden="true" className="ml-auto text-small pointer-coarse:hidden">
          Ctrl K
        </span>
      </button>
      <nav aria-label="Dashboard">
        <ul className="space-y-0.5">
          {dashboardPages.map(({ to, label, icon: Icon }) => {
            const here = to === current
            return (
              <li key={to}>
                <Link
                  to={to}
                  // The router would mark every item that is a prefix of the path.
                  activeOptions={{ exact: true }}
                  aria-current={here ? 'page' : undefined}
                  className={clsx(
                    rowClass,
                    here ? 'bg-hover font-strong text-ink' : 'text-muted hover:bg-hover hover:text-ink',
                  )}
                >
                  <Icon aria-hidden="true" className={clsx('size-4', here && 'text-accent')} />
                  {label}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      <nav aria-label="Elsewhere" className="border-t border-line pt-4">
        <ul className="space-y-0.5">
          {external.map(({ name, href, icon: Icon }) => (
            <li key={name}>
              <ExternalLink
                href={href}
                className={clsx(rowClass, 'text-muted hover:bg-hover hover:text-ink')}
                {...tooltip(dashboardText.open(name), 'right')}
              >
                <Icon aria-hidden="true" className="size-4" />
                {name}
                <ArrowUpRight aria-hidden="true" className="ml-auto size-4 text-mark" />
              </ExternalLink>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}
