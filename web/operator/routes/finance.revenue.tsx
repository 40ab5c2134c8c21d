import { createFileRoute } from '@tanstack/react-router'
import { RevenuePage } from '../features/finance/revenue-page.tsx'

export const Route = createFileRoute('/finance/revenue')({ component: RevenuePage })
