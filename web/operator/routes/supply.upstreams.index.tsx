import { createFileRoute } from '@tanstack/react-router'
import { UpstreamsPage } from '../features/supply/upstreams-page.tsx'

export const Route = createFileRoute('/supply/upstreams/')({ component: UpstreamsPage })
