import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { messageOf } from '../../../lib/http/api-error.ts'
import { pageHeadings } from '../../../lib/page-headings.ts'
import { Button } from '../../../ui/button.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { playgroundApi } from '../playground-api.ts'
import { playgroundText as text } from '../text.ts'

const parts = ['state', 'code', 'iss', 'error', 'error_description']
/** A code works only once: the guard is per document, so a second mount does not send it again. */
let started = false

/** The return page after signing in to another server: submits the parameters and opens the Servers tab. */
export function SignedInPage() {
  const navigate = useNavigate()
  const [failed, setFailed] = useState<string | null>(null)
  const back = useCallback(
    () => navigate({ to: '/dashboard/playground', search: { tab: 'servers' }, replace: true }),
    [navigate],
  )

  useEffect(() => {
    if (started) return
    started = true
    const given = new URL(location.href).searchParams
    const answer = parts.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? '']] : []))
    // Keep the code out of the history.
    history.replaceState(history.state, '', location.pathname)
    playgroundApi
      .finishSignIn(Object.fromEntries(answer))
      .then(back, (error) => setFailed(messageOf(error, 'no answer')))
      .finally(() => {
        started = false
      })
  }, [back])

  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/playground']} />
      <div className="rounded-card border border-line bg-surface">
        {failed === null ? (
          <p role="status" className="flex items-center justify-center gap-2 p-8 text-muted">
            <Spinner />
            {text.signingIn}
          </p>
        ) : (
          <div role="alert">
            <EmptyState
              title={text.signInFailed}
              about={failed}
              action={<Button onClick={() => void back()}>{text.backToServers}</Button>}
            />
          </div>
        )}
      </div>
    </>
  )
}
