import { Link, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowUpRight, BookOpen, Wrench } from 'lucide-react'
import type { SessionUser } from '../lib/session.ts'
import { useSettings } from '../lib/settings.ts'
import { Avatar } from '../ui/avatar.tsx'
import { ExternalLink } from '../ui/external-link.tsx'
import { tooltip } from '../ui/tooltip.ts'
import { dashboardPages } from './navigation.ts'
import { layoutText } from './text.ts'

const rowClass = 'flex h-9 items-center gap-3 rounded-control px-3 transition-colors duration-150 pointer-coarse:h-11'

/** The dashboard's navigation; the same in the fixed sidebar and in the drawer. */
export function Sidebar({ user }: { user: SessionUser }) {
  const { links } = useSettings()
  const path = useLocation({ select: (location) => location.pathname.replace(/\/+$/, '') || '/' })
  const isHere = (to: string, exact: boolean) =>
    path === to || (to === '/dashboard' && path === '/') || (!exact && path.startsWith(`${to}/`))
  const external = [
    { name: layoutText.documentation, href: links.docs, icon: BookOpen },
    { name: layoutText.mcpTools, href: links.toolsDocs, icon: Wrench },
  ]
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-4">
      <div className="flex items-center gap-3 px-1 py-1">
        <Avatar user={user} className="size-9" />
        <div className="min-w-0">
          <p className="font-strong">{layoutText.personal}</p>
          <p className="truncate text-small text-muted" title={user.email ?? undefined}>
            {user.email ?? layoutText.noEmail}
          </p>
        </div>
      </div>
      <nav aria-label="Dashboard">
        <ul className="space-y-0.5">
          {dashboardPages.map(({ to, label, icon: Icon, exact }) => {
            const here = isHere(to, exact)
            return (
              <li key={to}>
                <Link
                  to={to}
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
                {...tooltip(layoutText.open(name), 'right')}
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
