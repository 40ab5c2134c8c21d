import { createFileRoute } from '@tanstack/react-router'
import { EditUpstreamPage } from '../features/supply/editor/edit-upstream-page.tsx'

export const Route = createFileRoute('/supply/upstreams/$id/edit')({ component: Page })

function Page() {
  return <EditUpstreamPage id={Route.useParams().id} />
}
