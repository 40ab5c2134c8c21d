import { createFileRoute } from '@tanstack/react-router'
import { InvitationPage } from '../features/invitation/invitation-page.tsx'

export const Route = createFileRoute('/invitation')({ component: InvitationPage })
