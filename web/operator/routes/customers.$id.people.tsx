import { createFileRoute } from '@tanstack/react-router'
import { PeopleTab } from '../features/customers/people-tab.tsx'

export const Route = createFileRoute('/customers/$id/people')({
  component: () => <PeopleTab id={Route.useParams().id} />,
})
