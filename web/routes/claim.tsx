import { createFileRoute } from '@tanstack/react-router'
import { ClaimPage } from '../features/claim/claim-page.tsx'

export const Route = createFileRoute('/claim')({ component: ClaimPage })
