import { createFileRoute } from '@tanstack/react-router'
import { LoginPage } from '../features/auth/login-page.tsx'

export const Route = createFileRoute('/login')({
  // The page reads what it understands: anyone can write a URL.
  validateSearch: (search: { error?: string; next?: string }) => search,
  component: LoginPage,
})
