import { clsx } from 'clsx'
import { renderToStaticMarkup } from 'react-dom/server'
import { SkipLink } from '../layout/skip-link.tsx'
import { Article, isWide } from './article.tsx'
import { Document } from './document.tsx'
import { DocsFooter } from './footer.tsx'
import { DocsHeader, DocsSandboxBanner } from './header.tsx'
import type { DocsAssets, DocsPage, ListedPage } from './page.ts'
import { SearchDialog } from './search-dialog.tsx'
import { Groups, PagesMenu, Sidebar } from './sidebar.tsx'

/** One page as HTML. `pages` lists all pages in sidebar order. */
export function renderDocsPage(page: DocsPage, pages: ListedPage[], assets: DocsAssets): string {
  const document = (
    <Document page={page} assets={assets}>
      <SkipLink />
      <div data-if="SANDBOX">
        <DocsSandboxBanner />
      </div>
      <DocsHeader />
      <div
        className={clsx(
          'mx-auto w-full max-w-[90rem] px-4 sm:px-6 lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-x-10',
          !isWide(page) && 'xl:grid-cols-[15rem_minmax(0,1fr)_13rem]',
        )}
      >
        <Sidebar pages={pages} current={page.path} />
        <main id="content" tabIndex={-1} className="min-w-0 pb-20 lg:pt-8">
          <PagesMenu pages={pages} current={page.path} />
          <Article page={page} pages={pages} />
        </main>
        {!isWide(page) && <OnThisPage headings={page.headings} />}
      </div>
      <DocsFooter />
      <SearchDialog />
      <p id="notice" role="status" className="docs-notice" />
    </Document>
  )
  return `<!doctype html>${renderToStaticMarkup(document)}`
}

/** The navigation of further pages, for a page that was rendered without them. */
export const renderGroups = (pages: ListedPage[], current: string): string =>
  renderToStaticMarkup(<Groups pages={pages} current={current} />)

function OnThisPage({ headings }: { headings: DocsPage['headings'] }) {
  if (headings.length < 2) return null
  return (
    <nav
      aria-label="On this page"
      className="sticky top-(--header-height) hidden max-h-[calc(100dvh-var(--header-height))] self-start overflow-y-auto py-10 text-small xl:block print:hidden"
    >
      <p className="mb-2 font-strong text-ink">On this page</p>
      <ul className="space-y-1 border-l border-line">
        {headings.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`} className="block py-1 pl-3 text-muted transition-colors duration-150 hover:text-ink">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
