import { startTransition, useCallback, useEffect, useState } from 'react'
import type { Plan } from '#contract/billing.ts'
import type { Answer, PathOf } from '../../lib/http/endpoints.ts'
import { initialData } from '../../lib/initial-data.ts'

/** The catalog for visitors, without the dashboard's HTTP client and cache, which public pages do not need. */
async function fetchPublicPlans(signal: AbortSignal): Promise<Plan[]> {
  const response = await fetch('/api/public/plans' satisfies PathOf<'listPublicPlans'>, { signal })
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  const body = (await response.json()) as { data: Answer<'listPublicPlans'> }
  return body.data.plans
}

interface PublicPlans {
  plans: Plan[] | null
  error: Error | null
  retry: () => void
}

/** The plans, or the error; `retry` fetches again. Plans that came with the page are shown until then. */
export function usePublicPlans(): PublicPlans {
  const [state, setState] = useState<Pick<PublicPlans, 'plans' | 'error'>>({
    plans: initialData()?.plans ?? null,
    error: null,
  })
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt fetches once
  useEffect(() => {
    const abort = new AbortController()
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(10_000)])
    // An urgent update would remove each part that the server drew and whose script has not come, so that a press misses it.
    fetchPublicPlans(signal).then(
      (plans) => startTransition(() => setState({ plans, error: null })),
      (error: Error) => !abort.signal.aborted && startTransition(() => setState({ plans: null, error })),
    )
    return () => abort.abort()
  }, [attempt])
  const retry = useCallback(() => {
    setState({ plans: null, error: null })
    setAttempt((count) => count + 1)
  }, [])
  return { ...state, retry }
}
