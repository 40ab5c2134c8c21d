import { createFileRoute } from '@tanstack/react-router'
import { OverviewTab } from '../features/customers/overview-tab.tsx'

export const Route = createFileRoute('/customers/$id/')({
  component: () => <OverviewTab id={Route.useParams().id} />,
})
