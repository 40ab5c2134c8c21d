import { createFileRoute } from '@tanstack/react-router'
import { DevicePage } from '../features/device/device-page.tsx'

export const Route = createFileRoute('/device')({
  validateSearch: ({ code }: Record<string, unknown>): { code?: string } => (typeof code === 'string' ? { code } : {}),
  component: DevicePage,
})
