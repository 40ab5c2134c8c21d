import { useCallback, useEffect, useMemo, useState } from 'react'
import type { FaqCategory } from '#contract/site.ts'
import type { Answer, PathOf } from '../../lib/http/endpoints.ts'
import { initialData } from '../../lib/initial-data.ts'
import { useSettings } from '../../lib/settings.ts'
import type { QuestionCategory } from './questions.ts'

const path: PathOf<'getFaq'> = '/api/public/faq'

async function fetchQuestions(signal: AbortSignal): Promise<FaqCategory[]> {
  const response = await fetch(path, { signal })
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return ((await response.json()) as { data: Answer<'getFaq'> }).data.categories ?? []
}

/** What a search looks at: the words of an answer. */
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ')

/** The operator's questions, where there are any: those that came with the page, else fetched. */
export function useOwnQuestions(): { categories: QuestionCategory[] | null; error: Error | null; retry: () => void } {
  const { ownFaq } = useSettings().shop
  const [given, setGiven] = useState(() => initialData()?.faq ?? null)
  const [error, setError] = useState<Error | null>(null)
  const [attempt, setAttempt] = useState(0)
  const wanted = ownFaq && given === null
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt fetches once
  useEffect(() => {
    if (!wanted) return
    const abort = new AbortController()
    setError(null)
    fetchQuestions(AbortSignal.any([abort.signal, AbortSignal.timeout(10_000)])).then(
      setGiven,
      (failed: Error) => !abort.signal.aborted && setError(failed),
    )
    return () => abort.abort()
  }, [wanted, attempt])
  const categories = useMemo(
    () =>
      given?.map(({ name, questions }) => ({
        name,
        questions: questions.map(({ question, html }) => ({ question, html, answer: wordsOf(html) })),
      })) ?? null,
    [given],
  )
  return { categories, error, retry: useCallback(() => setAttempt((count) => count + 1), []) }
}
