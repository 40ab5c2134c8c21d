import { createFileRoute } from '@tanstack/react-router'
import { BillingPage } from '../features/billing/billing-page.tsx'
import { creditsQuery, plansQuery, subscriptionQuery, topupQuery } from '../features/billing/queries.ts'
import { returnSearch } from '../features/billing/return-search.ts'
import { queryClient } from '../lib/query-client.ts'

export const Route = createFileRoute('/dashboard/billing/')({
  validateSearch: returnSearch,
  // Begins to fetch while the page's code is still on its way.
  loader: () => {
    for (const query of [plansQuery, subscriptionQuery, creditsQuery, topupQuery])
      void queryClient.prefetchQuery(query as typeof plansQuery)
  },
  component: BillingPage,
})
