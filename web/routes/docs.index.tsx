import { createFileRoute } from '@tanstack/react-router'
import { DocsHomePage } from '../features/docs/docs-home-page.tsx'

export const Route = createFileRoute('/docs/')({ component: DocsHomePage })
