import { createFileRoute } from '@tanstack/react-router'
import { LimitsTab } from '../features/customers/limits-tab.tsx'

export const Route = createFileRoute('/customers/$id/limits')({
  component: () => <LimitsTab id={Route.useParams().id} />,
})
