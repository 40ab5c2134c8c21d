import { createFileRoute } from '@tanstack/react-router'
import { GettingStartedPage } from '../features/getting-started/getting-started-page.tsx'

export const Route = createFileRoute('/docs/getting-started')({ component: GettingStartedPage })
