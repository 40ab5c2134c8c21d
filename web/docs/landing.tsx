import { buttonClass } from '../ui/button.tsx'
import { ArrowRight } from '../ui/icons/public.ts'
import { Html } from './html.tsx'
import { landingCards, landingLinks } from './landing-links.ts'
import type { DocsPage, ListedPage } from './page.ts'

/** Fills three columns. */
const MOST_OF_GROUP = 9

/** The landing page: three ways to start beside a call, then the pages by group. */
export function Landing({ call, pages }: { call: NonNullable<DocsPage['landing']>; pages: ListedPage[] }) {
  const groups = [...Map.groupBy(pages, ({ group }) => group)].filter(([group]) => group !== null)
  const known: string[] = landingCards.map(({ href }) => href)
  const [guides, ...others] = groups.map(([group, members]) => ({
    title: group!,
    links: members.map(({ path, title, description, label }) => ({
      href: path,
      title,
      about: description.replaceAll('`', ''),
      label,
    })),
  }))
  return (
    <>
      <div className="docs-landing mt-8">
        <ul className="grid gap-4">
          {landingCards.map(({ title, about, href }) => (
            <li key={title}>
              <a
                href={href}
                className="group flex h-full items-center gap-4 rounded-card border border-line bg-surface p-5 transition-colors duration-150 hover:border-line-strong"
              >
                <span className="min-w-0 flex-1">
                  <span className="block text-prose font-strong">{title}</span>
                  <span className="mt-1 block text-pretty text-muted">{about}</span>
                </span>
                <ArrowRight aria-hidden="true" className="size-4 shrink-0 text-accent" />
              </a>
            </li>
          ))}
        </ul>
        <section aria-label="A first call" className="min-w-0">
          <Html html={call.request} />
          <a href="/docs/getting-started" className={buttonClass({ look: 'primary', className: 'my-4' })}>
            Run this call
          </a>
          <Html className="docs-prose" html={call.response} />
        </section>
      </div>
      {guides && (
        <Links
          title={guides.title}
          links={[...guides.links.filter(({ href }) => !known.includes(href)), ...landingLinks]}
        />
      )}
      {/* Groups with a single page come last. */}
      {others
        .toSorted((one, other) => Number(one.links.length <= 2) - Number(other.links.length <= 2))
        .map(({ title, links }) => (
          <Links key={title} title={title} links={links.slice(1, MOST_OF_GROUP + 1)} all={links[0]!} />
        ))}
    </>
  )
}

interface LinksProps {
  title: string
  links: { title: string; about: string; href: string }[]
  /** The page that lists all of them. */
  all?: { href: string; label: string }
}

function Links({ title, links, all }: LinksProps) {
  return (
    <section className="mt-12">
      <h2 className="flex flex-wrap items-baseline justify-between gap-x-4 text-title font-strong">
        {title}
        {all && (
          <a href={all.href} className="text-body font-normal tracking-normal text-accent hover:underline">
            {all.label}
          </a>
        )}
      </h2>
      <ul className="docs-links mt-3">
        {links.map((link) => (
          <li key={link.href}>
            <a href={link.href} className="docs-link">
              <span className="font-strong text-accent">{link.title}</span>
              <span className="text-muted">{link.about}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
