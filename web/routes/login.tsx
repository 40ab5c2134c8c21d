import { createFileRoute } from '@tanstack/react-router'
import { LoginPage } from '../features/auth/login-page.tsx'

export const Route = createFileRoute('/login')({
  validateSearch: (search: Record<string, unknown>): { error?: string; next?: string } => ({
    ...(typeof search.error === 'string' && { error: search.error }),
    ...(typeof search.next === 'string' && { next: search.next }),
  }),
  component: LoginPage,
})
