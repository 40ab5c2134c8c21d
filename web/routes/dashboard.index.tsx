import { createFileRoute } from '@tanstack/react-router'
import { creditsQuery, subscriptionQuery } from '../features/billing/queries.ts'
import { keysQuery } from '../features/keys/queries.ts'
import { OverviewPage } from '../features/overview/overview-page.tsx'
import { rangeSearch } from '../features/usage/range.ts'
import { queryClient } from '../lib/query-client.ts'

export const Route = createFileRoute('/dashboard/')({
  validateSearch: rangeSearch,
  // Begins to fetch while the page's code is still on its way.
  loader: () => {
    void queryClient.prefetchQuery(keysQuery)
    void queryClient.prefetchQuery(subscriptionQuery)
    void queryClient.prefetchQuery(creditsQuery)
  },
  component: OverviewPage,
})
