import { createFileRoute } from '@tanstack/react-router'
import { CustomerLayout } from '../features/customers/customer-layout.tsx'

export const Route = createFileRoute('/customers/$id')({
  component: () => <CustomerLayout id={Route.useParams().id} />,
})
