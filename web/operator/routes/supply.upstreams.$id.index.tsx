import { createFileRoute } from '@tanstack/react-router'
import { UpstreamPage } from '../features/supply/upstream-page.tsx'

export const Route = createFileRoute('/supply/upstreams/$id/')({
  validateSearch: ({ version }: Record<string, unknown>): { version?: number } =>
    Number.isSafeInteger(version) && Number(version) > 0 ? { version: Number(version) } : {},
  component: Page,
})

function Page() {
  return <UpstreamPage id={Route.useParams().id} version={Route.useSearch().version} />
}
