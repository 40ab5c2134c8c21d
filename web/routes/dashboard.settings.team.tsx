import { createFileRoute } from '@tanstack/react-router'
import { teamQuery } from '../features/team/queries.ts'
import { TeamPage } from '../features/team/team-page.tsx'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/settings/team')({
  loader: () => void queryClient.prefetchQuery(teamQuery),
  component: TeamPage,
})
