import { createFileRoute } from '@tanstack/react-router'
import { SimulatorPage } from '../features/products/simulator-page.tsx'

export const Route = createFileRoute('/products/simulate')({
  validateSearch: ({ prices }: Record<string, unknown>): { prices?: string } =>
    typeof prices === 'string' && /^\w+:\d+(,\w+:\d+)*$/.test(prices) ? { prices } : {},
  component: Page,
})

function Page() {
  const { prices = '' } = Route.useSearch()
  return <SimulatorPage prices={prices} />
}
