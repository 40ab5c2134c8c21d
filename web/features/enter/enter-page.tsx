import { QueryClientProvider } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { accessToken, useSession } from '../../lib/auth/session.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { ErrorState } from '../../ui/states.tsx'
import { forgetPending, readPending } from '../auth/pending.ts'
import { ProgressPage } from '../auth/progress-page.tsx'
import { authText } from '../auth/text.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'

/** Hands the sign-in to another part of the installation, which opens a session of its own, and goes there. */
export function EnterPage() {
  const { user, loading } = useSession()
  const [view] = useState(() => (typeof location === 'undefined' ? undefined : location.hash.split('#view=')[1]))
  useEffect(() => {
    if (!view) return
    // A link of the command line: this tab shows the pages of a customer (lib/auth/view.ts).
    sessionStorage.setItem('finmeter.view', decodeURIComponent(view))
    location.replace('/dashboard')
  }, [view])
  if (loading || view) return <ProgressPage text={authText.completing} />
  if (!user) return <Navigate to="/login" replace />
  return (
    <QueryClientProvider client={queryClient}>
      <SecondFactorGate>
        <Enter />
      </SecondFactorGate>
    </QueryClientProvider>
  )
}

type State = 'entering' | 'missing' | 'failed'

function Enter() {
  const [state, setState] = useState<State>('entering')
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further attempt starts over
  useEffect(() => {
    void enter().then(setState)
  }, [attempt])
  if (state === 'missing') return <NotFoundPage />
  if (state === 'entering') return <ProgressPage text={authText.completing} />
  return (
    <main className="grid min-h-dvh place-items-center">
      <ErrorState title={authText.enterFailed} onRetry={() => setAttempt(attempt + 1)} />
    </main>
  )
}

async function enter(): Promise<State> {
  const page = readPending('page')
  const part = page?.split('/')[1]
  if (!page || !part) return 'missing'
  const headers = { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ code: readPending('entry') })
  const response = await fetch(`/${part}/session`, { method: 'POST', headers, body }).catch(() => null)
  if (!response?.ok) return response?.status === 404 ? 'missing' : 'failed'
  forgetPending('entry')
  location.replace(page)
  return 'entering'
}
