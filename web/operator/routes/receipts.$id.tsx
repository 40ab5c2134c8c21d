import { createFileRoute } from '@tanstack/react-router'
import { ReceiptPage } from '../features/customers/receipt-page.tsx'

export const Route = createFileRoute('/receipts/$id')({
  component: () => <ReceiptPage id={Route.useParams().id} />,
})
