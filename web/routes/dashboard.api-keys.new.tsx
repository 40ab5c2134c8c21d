import { createFileRoute } from '@tanstack/react-router'
import { NewKeyPage } from '../features/keys/new-key-page.tsx'

export const Route = createFileRoute('/dashboard/api-keys/new')({ component: NewKeyPage })
