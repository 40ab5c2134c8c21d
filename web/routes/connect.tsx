import { createFileRoute } from '@tanstack/react-router'
import { ConsentPage } from '../features/consent/consent-page.tsx'

export const Route = createFileRoute('/connect')({
  validateSearch: ({ request }: Record<string, unknown>): { request?: string } =>
    typeof request === 'string' ? { request } : {},
  component: ConsentPage,
})
