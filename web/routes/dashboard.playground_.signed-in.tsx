import { createFileRoute } from '@tanstack/react-router'
import { SignedInPage } from '../features/playground/servers/signed-in-page.tsx'

export const Route = createFileRoute('/dashboard/playground_/signed-in')({
  component: SignedInPage,
})
