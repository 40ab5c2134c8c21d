import { createFileRoute } from '@tanstack/react-router'
import { subscriptionQuery } from '../features/billing/queries.ts'
import { preferencesQuery, profileQuery } from '../features/settings/queries.ts'
import { SettingsPage } from '../features/settings/settings-page.tsx'
import { queryClient } from '../lib/query-client.ts'

export const Route = createFileRoute('/dashboard/settings/')({
  loader: () => {
    void queryClient.prefetchQuery(profileQuery)
    void queryClient.prefetchQuery(preferencesQuery)
    void queryClient.prefetchQuery(subscriptionQuery)
  },
  component: SettingsPage,
})
