import { createFileRoute } from '@tanstack/react-router'
import { ActsPage } from '../features/acts/acts-page.tsx'

export const Route = createFileRoute('/customers_/$id/acts')({ component: Page })

function Page() {
  return <ActsPage id={Route.useParams().id} />
}
