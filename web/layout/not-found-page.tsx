import { Link, useLocation } from '@tanstack/react-router'
import { useContext, useEffect, useState } from 'react'
import { DocsSearch } from '../features/docs/docs-search.tsx'
import { useSession } from '../lib/auth/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { ArrowRight } from '../ui/icons/public.ts'
import { usePageHeading } from '../ui/page-header.tsx'
import { InMain } from './in-main.ts'
import { PublicLayout } from './public-layout.tsx'
import { type Suggestion, usualPages } from './suggestion.ts'
import { layoutText } from './text.ts'

/** Shown for unknown URLs, inside the dashboard in its frame: the search, and three pages that are named most like the URL. */
export function NotFoundPage() {
  const { user } = useSession()
  const heading = usePageHeading('Page not found')
  const suggestions = useSuggestions(user !== null)
  const content = (
    <div className="mx-auto w-full max-w-xl flex-1 px-4 py-16">
      <p className="font-mono text-muted figures">404</p>
      <h1 ref={heading} tabIndex={-1} className="mt-2 text-headline font-strong">
        Page not found
      </h1>
      <p className="mt-1 mb-6 text-pretty text-muted">
        There is nothing at this address. It may have moved, or the link may be mistyped.
      </p>
      <DocsSearch />
      <h2 id="suggestions" className="mt-8 mb-2 font-strong">
        Perhaps you are looking for
      </h2>
      <ul aria-labelledby="suggestions" className="divide-y divide-line rounded-card border border-line bg-surface">
        {suggestions.map(({ href, title }) => (
          <li key={href}>
            {/* Not every page is the application's. */}
            <a href={href} className="flex items-center gap-3 rounded-card px-4 py-3 -outline-offset-2 hover:bg-hover">
              <span className="min-w-0 flex-1 truncate font-strong">{title}</span>
              <span className="max-w-[50%] truncate font-mono text-small text-muted">{href}</span>
              <ArrowRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
            </a>
          </li>
        ))}
      </ul>
      <div className="mt-6 flex flex-wrap gap-2">
        <Link to="/" className={buttonClass({ look: 'primary' })}>
          Home
        </Link>
        {user && (
          <Link to="/dashboard" className={buttonClass()}>
            {layoutText.dashboard}
          </Link>
        )}
      </div>
    </div>
  )
  return useContext(InMain) ? content : <PublicLayout>{content}</PublicLayout>
}

/** The usual pages at first, as the server drew them; then those that are like the address. Both lists are equally long. */
function useSuggestions(signedIn: boolean): readonly Suggestion[] {
  const { pathname } = useLocation()
  const [found, setFound] = useState(usualPages)
  useEffect(() => {
    let left = false
    import('./suggest-pages.ts')
      .then(({ suggestPages }) => suggestPages(pathname, signedIn))
      .then(
        (pages) => left || setFound(pages),
        () => {},
      )
    return () => {
      left = true
    }
  }, [pathname, signedIn])
  return found
}
