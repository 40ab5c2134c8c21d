import { clsx } from 'clsx'
import { ChevronDown } from '../ui/icons/public.ts'
import type { ListedPage } from './page.ts'

interface NavigationProps {
  pages: ListedPage[]
  current: string
}

/** An unlisted page belongs to the listed page whose URL is its prefix: an error code belongs to Errors. */
const within = (path: string, current: string) => path === '/docs/errors' && current.startsWith(`${path}/`)

/** All listed pages by group, with the current one marked. */
export function Groups({ pages, current }: NavigationProps) {
  const groups = Map.groupBy(
    pages.filter((page) => page.group !== null),
    (page) => page.group,
  )
  return [...groups].map(([group, members]) => (
    <div key={group} className="mb-6">
      <p className="mb-1.5 px-2.5 text-small font-strong text-ink">{group}</p>
      <ul>
        {members.map(({ path, label }) => (
          <li key={path}>
            <a
              href={path}
              aria-current={path === current ? 'page' : within(path, current) ? 'true' : undefined}
              className={clsx(
                'block rounded-control px-2.5 py-1.5 break-words transition-colors duration-150',
                path === current || within(path, current)
                  ? 'bg-hover font-strong text-ink'
                  : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </div>
  ))
}

/** Next to the text on large screens. */
export function Sidebar(props: NavigationProps) {
  return (
    <nav
      aria-label="Documentation"
      className="sticky top-(--header-height) hidden max-h-[calc(100dvh-var(--header-height))] scroll-pb-12 overflow-y-auto pt-8 pr-3 after:pointer-events-none after:sticky after:bottom-0 after:block after:h-12 after:bg-linear-to-t after:from-canvas lg:block print:hidden"
    >
      <Groups {...props} />
      <OfUpstreams />
    </nav>
  )
}

/** Where the server adds the pages of upstreams, which it alone knows. */
const OfUpstreams = () => <div data-upstreams="" />

/** Above the text on small screens, collapsed at first. */
export function PagesMenu(props: NavigationProps) {
  return (
    <details className="group mt-4 rounded-card border border-line bg-surface lg:hidden print:hidden">
      <summary className="flex list-none items-center justify-between rounded-card px-4 py-3 font-strong -outline-offset-2 [&::-webkit-details-marker]:hidden">
        All pages
        <ChevronDown
          aria-hidden="true"
          className="size-4 text-muted transition-transform duration-150 group-open:rotate-180"
        />
      </summary>
      <nav aria-label="All pages" className="border-t border-line px-2 pt-4">
        <Groups {...props} />
        <OfUpstreams />
      </nav>
    </details>
  )
}
