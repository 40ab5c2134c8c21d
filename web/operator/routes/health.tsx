import { createFileRoute } from '@tanstack/react-router'
import { HealthPage, healthSearch } from '../features/health/health-page.tsx'

export const Route = createFileRoute('/health')({ validateSearch: healthSearch, component: HealthPage })
