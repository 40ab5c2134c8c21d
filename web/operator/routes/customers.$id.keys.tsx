import { createFileRoute } from '@tanstack/react-router'
import { KeysTab } from '../features/customers/keys-tab.tsx'

export const Route = createFileRoute('/customers/$id/keys')({
  component: () => <KeysTab id={Route.useParams().id} />,
})
