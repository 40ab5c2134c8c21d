import { PublicLayout } from '../../layout/public-layout.tsx'
import { useSettings } from '../../lib/settings.ts'
import { ArrowRight } from '../../ui/icons/public.ts'
import { usePageHeading } from '../../ui/page-header.tsx'
import { DocsSearch } from './docs-search.tsx'
import { docsIcons, plainIcon } from './icons.ts'
import { forReaders, docsText as text } from './text.ts'

const cardClass =
  'group flex min-w-0 flex-col rounded-card border border-line bg-surface p-5 transition-colors duration-150 hover:border-line-strong'

/** The documentation's landing page: three main entries, then further pages and guides. */
export function DocsHomePage() {
  const { named } = useSettings().shop
  const heading = usePageHeading(text.title)
  return (
    <PublicLayout>
      <div className="mx-auto w-full max-w-6xl px-4 py-10 sm:px-6 sm:py-14">
        <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-5">
          <div className="min-w-0">
            <h1 ref={heading} tabIndex={-1} className="text-title font-strong">
              {text.title}
            </h1>
            <p className="mt-1 max-w-[64ch] text-prose text-pretty text-muted">{text.about}</p>
          </div>
          <DocsSearch />
        </div>
        <ul className="mt-8 grid gap-4 md:grid-cols-3">
          {text.cards.map(({ title, about, action, href }) => (
            <li key={title} className="flex min-w-0 flex-col">
              <a href={href} className={`${cardClass} flex-1`}>
                <LinkIcon href={href} />
                <h2 className="mt-3 text-prose font-strong">{title}</h2>
                <p className="mt-1 flex-1 text-pretty text-muted">{about}</p>
                <span className="mt-6 inline-flex items-center gap-1.5 text-accent">
                  {action}
                  <ArrowRight aria-hidden="true" className="size-4" />
                </span>
              </a>
            </li>
          ))}
        </ul>
        <Links id="guides" title={text.guidesTitle} links={forReaders(text.guides, named)} />
        <Links id="more" title={text.moreTitle} links={forReaders(text.more, named)} />
      </div>
    </PublicLayout>
  )
}

function LinkIcon({ href }: { href: string }) {
  const Icon = docsIcons[href] ?? plainIcon
  return <Icon aria-hidden="true" className="size-5 shrink-0 text-accent" />
}

interface LinksProps {
  id: string
  title: string
  links: { title: string; about: string; href: string }[]
}

function Links({ id, title, links }: LinksProps) {
  return (
    <section aria-labelledby={id} className="mt-12">
      <h2 id={id} className="text-title font-strong">
        {title}
      </h2>
      <ul className="mt-4 grid gap-4 md:grid-cols-3">
        {links.map((link) => (
          <li key={link.title} className="flex min-w-0 flex-col">
            <a href={link.href} className={`${cardClass} flex-1`}>
              <h3 className="flex items-center gap-2.5 font-strong">
                <LinkIcon href={link.href} />
                {link.title}
              </h3>
              <p className="mt-1 text-pretty text-muted">{link.about}</p>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
