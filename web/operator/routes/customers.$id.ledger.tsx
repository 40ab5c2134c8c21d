import { createFileRoute } from '@tanstack/react-router'
import { LedgerTab } from '../features/customers/ledger-tab.tsx'

export const Route = createFileRoute('/customers/$id/ledger')({
  component: () => <LedgerTab id={Route.useParams().id} />,
})
