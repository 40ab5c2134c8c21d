import { createFileRoute } from '@tanstack/react-router'
import { TimelineTab } from '../features/customers/timeline-tab.tsx'

export const Route = createFileRoute('/customers/$id/timeline')({
  component: () => <TimelineTab id={Route.useParams().id} />,
})
