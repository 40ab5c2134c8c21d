import { createFileRoute } from '@tanstack/react-router'
import { EnterPage } from '../features/enter/enter-page.tsx'

export const Route = createFileRoute('/auth/enter')({ component: EnterPage })
