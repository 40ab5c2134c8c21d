import { createFileRoute } from '@tanstack/react-router'
import { LogoutPage } from '../features/auth/logout-page.tsx'

export const Route = createFileRoute('/auth/logout')({ component: LogoutPage })
