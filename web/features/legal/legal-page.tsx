import { useEffect, useState } from 'react'
import type { LegalPage as Content } from '#contract/site.ts'
import { PublicPage } from '../../layout/public-page.tsx'
import { layoutText } from '../../layout/text.ts'
import { initialData } from '../../lib/initial-data.ts'
import { useSettings } from '../../lib/settings.ts'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'

export type LegalPageName = 'privacy' | 'terms'

const about = { privacy: 'What is kept about you, and why.', terms: 'What you and we agree on.' }
const title = { privacy: layoutText.privacy, terms: layoutText.terms }

async function fetchPage(page: LegalPageName, signal: AbortSignal): Promise<Content> {
  const response = await fetch(`/api/public/legal/${page}`, { signal })
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return ((await response.json()) as { data: Content }).data
}

/** The privacy policy or the terms of this installation, in the operator's words. */
export function LegalPage({ page }: { page: LegalPageName }) {
  const { links } = useSettings()
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<{ content?: Content; error?: Error }>(() => {
    const given = initialData()?.legal
    return given?.page === page ? { content: given } : {}
  })
  useEffect(() => {
    // What came with the page needs no second asking.
    const given = initialData()?.legal
    if (attempt === 0 && given?.page === page) return setState({ content: given })
    const abort = new AbortController()
    setState({})
    fetchPage(page, AbortSignal.any([abort.signal, AbortSignal.timeout(10_000)])).then(
      (content) => setState({ content }),
      (error: Error) => !abort.signal.aborted && setState({ error }),
    )
    return () => abort.abort()
  }, [page, attempt])
  const { content, error } = state
  return (
    <PublicPage title={content?.title ?? title[page]} about={about[page]} width="narrow">
      {error && (
        <ErrorState
          title="This text could not be loaded"
          error={error}
          onRetry={() => setAttempt((count) => count + 1)}
        />
      )}
      {!content && !error && (
        <Loading label="Loading..." className="space-y-3">
          {[0, 1, 2, 3].map((line) => (
            <Skeleton key={line} className="h-5" />
          ))}
        </Loading>
      )}
      {content && (
        <>
          {/** biome-ignore lint/security/noDangerouslySetInnerHtml: made by our server from Markdown, raw HTML escaped */}
          <div className="prose" dangerouslySetInnerHTML={{ __html: content.html }} />
          <p className="border-t border-line pt-4 text-muted">
            {layoutText.contact}:{' '}
            <a href={`mailto:${links.supportEmail}`} className="text-accent underline underline-offset-4">
              {links.supportEmail}
            </a>
          </p>
        </>
      )}
    </PublicPage>
  )
}
