import { createFileRoute, notFound } from '@tanstack/react-router'
import { SellPage } from '../features/sell/sell-page.tsx'
import { loadSettings } from '../lib/settings.ts'

export const Route = createFileRoute('/sell')({
  // Named shops do not advertise the software.
  beforeLoad: async () => {
    if ((await loadSettings()).shop.named) throw notFound()
  },
  component: SellPage,
})
