import { createFileRoute } from '@tanstack/react-router'
import { SecurityPage } from '../features/settings/security-page.tsx'

export const Route = createFileRoute('/dashboard/settings/security')({ component: SecurityPage })
