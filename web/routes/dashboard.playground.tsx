import { createFileRoute } from '@tanstack/react-router'
import { keysQuery } from '../features/keys/queries.ts'
import { PlaygroundPage } from '../features/playground/playground-page.tsx'
import type { GivenSearch } from '../features/playground/share-link.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/playground')({
  validateSearch: (given: Record<string, unknown>): GivenSearch => given,
  loader: () => void queryClient.prefetchQuery(keysQuery),
  component: PlaygroundPage,
})
