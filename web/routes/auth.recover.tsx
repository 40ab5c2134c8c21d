import { createFileRoute } from '@tanstack/react-router'
import { RecoverPage } from '../features/auth/recover-page.tsx'

export const Route = createFileRoute('/auth/recover')({ component: RecoverPage })
