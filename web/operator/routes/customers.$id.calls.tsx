import { createFileRoute } from '@tanstack/react-router'
import { type CallStatus, CallsTab } from '../features/customers/calls-tab.tsx'

export const Route = createFileRoute('/customers/$id/calls')({
  validateSearch: ({ status }: Record<string, unknown>): { status?: CallStatus } =>
    status === 'success' || status === 'failed' ? { status } : {},
  component: () => <CallsTab id={Route.useParams().id} status={Route.useSearch().status} />,
})
