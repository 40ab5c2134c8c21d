import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { loadSearch } from '../../docs/search.ts'
import { BookOpen } from '../../ui/icons/dashboard.ts'
import type { Command } from './commands.ts'

const MOST_RESULTS = 6
const SHORTEST_TERM = 2

/** The sections of the documentation that match the typed text. Empty if the index cannot be loaded. */
export function useDocsResults(typed: string): Command[] {
  const term = useDeferredValue(typed.trim())
  const enabled = term.length >= SHORTEST_TERM
  const { data = [] } = useQuery({
    queryKey: ['docs-search', term],
    queryFn: async () => (await loadSearch()).find(term).slice(0, MOST_RESULTS),
    enabled,
    retry: false,
    placeholderData: keepPreviousData,
  })
  if (!enabled) return []
  return data.map(({ id, page, section }) => ({
    id,
    group: 'Documentation',
    label: section ? `${page}: ${section}` : page,
    icon: BookOpen,
    run: () => location.assign(id),
  }))
}
