import { createFileRoute } from '@tanstack/react-router'
import { RefundsPage } from '../features/finance/refunds-page.tsx'

export const Route = createFileRoute('/finance/refunds')({ component: RefundsPage })
