import { useEffect, useState } from 'react'
import { PublicPage } from '../../layout/public-page.tsx'
import { layoutText } from '../../layout/text.ts'
import type { Answer, PathOf } from '../../lib/http/endpoints.ts'
import { initialData } from '../../lib/initial-data.ts'
import { useSettings } from '../../lib/settings.ts'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'

export type LegalPageName = 'privacy' | 'terms' | 'imprint'

const about = {
  privacy: 'What data we keep about you, and why.',
  terms: 'The agreement between you and us.',
  imprint: 'Who runs this service.',
}
const title = { privacy: layoutText.privacy, terms: layoutText.terms, imprint: layoutText.imprint }

type Content = Answer<'getLegalPage'>
const path: PathOf<'getLegalPage'> = '/api/public/legal/{page}'

async function fetchPage(page: LegalPageName, signal: AbortSignal): Promise<Content> {
  const response = await fetch(path.replace('{page}', page), { signal })
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return ((await response.json()) as { data: Content }).data
}

/** The privacy policy, terms or imprint of this installation, as the operator wrote them. */
export function LegalPage({ page }: { page: LegalPageName }) {
  const { links } = useSettings()
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<{ content?: Content; error?: Error }>(() => {
    const given = initialData()?.legal
    return given?.page === page ? { content: given } : {}
  })
  useEffect(() => {
    // Text that came with the page is not fetched again.
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
          <div
            className="prose max-w-152 [&>:first-child>em]:text-small [&>:first-child>em]:text-muted [&>:first-child>em]:not-italic"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by our server from Markdown, raw HTML escaped
            dangerouslySetInnerHTML={{ __html: content.html }}
          />
          <p className="max-w-152 border-t border-line pt-4 text-muted">
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
