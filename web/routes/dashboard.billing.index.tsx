import { createFileRoute } from '@tanstack/react-router'
import { BillingPage } from '../features/billing/billing-page.tsx'
import { returnSearch } from '../features/billing/return-search.ts'
import { creditsQuery, topupQuery } from '../features/credits/queries.ts'
import { plansQuery, subscriptionQuery } from '../features/plans/queries.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/billing/')({
  validateSearch: returnSearch,
  // Starts fetching while the page's code is loading.
  loader: () => {
    for (const query of [plansQuery, subscriptionQuery, creditsQuery, topupQuery])
      void queryClient.prefetchQuery(query as typeof plansQuery)
  },
  component: BillingPage,
})
