import { createFileRoute } from '@tanstack/react-router'
import { keysQuery } from '../features/keys/queries.ts'
import { PlaygroundPage } from '../features/playground/playground-page.tsx'
import { type Tab, tabs } from '../features/playground/tab.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/playground')({
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: Tab } =>
    tabs.includes(tab as Tab) ? { tab: tab as Tab } : {},
  loader: () => void queryClient.prefetchQuery(keysQuery),
  component: PlaygroundPage,
})
