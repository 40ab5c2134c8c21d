import { clsx } from 'clsx'
import { buttonClass } from '../ui/button.tsx'
import { Copy } from '../ui/icons/public.ts'
import { CallColumns } from './call-columns.tsx'
import { Html } from './html.tsx'
import { Landing } from './landing.tsx'
import type { DocsPage, ListedPage } from './page.ts'

/** Title, page actions, content, and links to the previous and next page. */
export function Article({ page, pages }: { page: DocsPage; pages: ListedPage[] }) {
  return (
    <article className={clsx('mx-auto mt-6 lg:mt-2', !isWide(page) && 'max-w-[46rem]')}>
      <header>
        {page.group && <p className="text-small font-strong text-accent">{page.group}</p>}
        {isError(page) && (
          <a href="/docs/errors" className="text-small font-strong text-accent hover:underline">
            Errors
          </a>
        )}
        <h1
          className={clsx(
            'mt-1 font-strong break-words',
            isError(page) ? 'font-mono text-title sm:text-headline' : 'text-headline',
          )}
        >
          {page.title}
        </h1>
        <p className="mt-2 text-prose text-pretty text-muted">{page.description}</p>
        <div className="mt-4 flex flex-wrap items-center gap-2 print:hidden">
          <button type="button" data-copy-page={`${page.path}.md`} className={buttonClass({ size: 'small' })}>
            <Copy aria-hidden="true" className="size-4" />
            Copy page
          </button>
          <a href={`${page.path}.md`} className={buttonClass({ look: 'quiet', size: 'small' })}>
            View as Markdown
          </a>
          <label data-key-choice hidden className="flex min-w-0 items-center gap-2 text-muted sm:ml-auto">
            Key in examples
            <select className="select h-8 max-w-40 min-w-0 rounded-control border border-line-strong bg-surface pr-8 pl-2 text-ink pointer-coarse:h-11" />
          </label>
        </div>
      </header>
      <Content page={page} pages={pages} />
      <AdjacentPages page={page} pages={pages.filter(({ group }) => group !== null)} />
    </article>
  )
}

/** Whether a page is about one error; its title is the error's code. */
const isError = ({ group, landing }: DocsPage): boolean => !group && !landing

/** Whether a page uses the width beside its text, too. */
export const isWide = ({ call, landing }: DocsPage): boolean => Boolean(call ?? landing)

function Content({ page, pages }: { page: DocsPage; pages: ListedPage[] }) {
  if (page.landing) return <Landing call={page.landing} pages={pages} />
  if (page.call) return <Call path={page.path} call={page.call} />
  return <Html className="docs-prose mt-8" html={page.html} />
}

/** What follows a call stands beside it in a guide, and below it, in two columns, in the reference. */
function Call({ path, call }: { path: string; call: NonNullable<DocsPage['call']> }) {
  if (!path.startsWith('/docs/reference/')) return <CallColumns call={call} />
  const { rest, ...columns } = call.columns
  return (
    <>
      <CallColumns call={{ form: call.form, columns: { ...columns, rest: '' } }} />
      <Html className="docs-prose docs-below" html={rest} />
    </>
  )
}

function AdjacentPages({ page, pages }: { page: DocsPage; pages: ListedPage[] }) {
  const index = pages.findIndex(({ path }) => path === page.path)
  if (index === -1) return null
  const before = pages[index - 1]
  const after = pages[index + 1]
  return (
    <nav aria-label="Neighboring pages" className="mt-14 grid grid-cols-2 gap-4 min-[900px]:gap-8 print:hidden">
      {before ? <AdjacentPage page={before} rel="prev" word="Previous" /> : <span />}
      {after && <AdjacentPage page={after} rel="next" word="Next" />}
    </nav>
  )
}

function AdjacentPage({ page, rel, word }: { page: ListedPage; rel: 'prev' | 'next'; word: string }) {
  return (
    <a
      href={page.path}
      rel={rel}
      className={`min-w-0 rounded-card border border-line bg-surface px-4 py-3 transition-colors duration-150 hover:border-line-strong ${rel === 'next' ? 'text-right' : ''}`}
    >
      <span className="block text-small text-muted">{word}</span>
      <span className="block font-strong break-words">{page.label}</span>
    </a>
  )
}
