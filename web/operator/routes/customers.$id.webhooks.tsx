import { createFileRoute } from '@tanstack/react-router'
import { WebhooksTab } from '../features/customers/webhooks-tab.tsx'

export const Route = createFileRoute('/customers/$id/webhooks')({
  component: () => <WebhooksTab id={Route.useParams().id} />,
})
