import { createFileRoute } from '@tanstack/react-router'
import { InvoicesTab } from '../features/customers/invoices-tab.tsx'

export const Route = createFileRoute('/customers/$id/invoices')({
  component: () => <InvoicesTab id={Route.useParams().id} />,
})
