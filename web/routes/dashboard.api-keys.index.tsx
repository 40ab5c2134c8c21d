import { createFileRoute } from '@tanstack/react-router'
import { KeysPage } from '../features/keys/keys-page.tsx'
import { keysQuery } from '../features/keys/queries.ts'
import { subscriptionQuery } from '../features/plans/queries.ts'
import { rangeSearch } from '../features/usage/range.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/api-keys/')({
  validateSearch: rangeSearch,
  loader: () => {
    void queryClient.prefetchQuery(keysQuery)
    void queryClient.prefetchQuery(subscriptionQuery)
  },
  component: KeysPage,
})
