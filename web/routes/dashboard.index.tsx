import { createFileRoute } from '@tanstack/react-router'
import { creditHistoryQuery, creditsQuery } from '../features/credits/queries.ts'
import { keysQuery } from '../features/keys/queries.ts'
import { OverviewPage } from '../features/overview/overview-page.tsx'
import { subscriptionQuery } from '../features/plans/queries.ts'
import { rangeSearch } from '../features/usage/range.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/')({
  validateSearch: rangeSearch,
  // Starts fetching while the page's code is loading.
  loader: () => {
    void queryClient.prefetchQuery(keysQuery)
    void queryClient.prefetchQuery(subscriptionQuery)
    void queryClient.prefetchQuery(creditsQuery)
    void queryClient.prefetchQuery(creditHistoryQuery)
  },
  component: OverviewPage,
})
