import { createFileRoute } from '@tanstack/react-router'
import { NewUpstreamPage } from '../features/supply/editor/new-upstream-page.tsx'

export const Route = createFileRoute('/supply/upstreams/new')({ component: NewUpstreamPage })
