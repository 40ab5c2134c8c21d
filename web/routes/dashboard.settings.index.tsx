import { createFileRoute } from '@tanstack/react-router'
import { preferencesQuery, profileQuery } from '../features/account/queries.ts'
import { subscriptionQuery } from '../features/plans/queries.ts'
import { SettingsPage } from '../features/settings/settings-page.tsx'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/settings/')({
  loader: () => {
    void queryClient.prefetchQuery(profileQuery)
    void queryClient.prefetchQuery(preferencesQuery)
    void queryClient.prefetchQuery(subscriptionQuery)
  },
  component: SettingsPage,
})
