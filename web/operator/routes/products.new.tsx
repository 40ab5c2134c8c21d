import { createFileRoute } from '@tanstack/react-router'
import { NewProductPage } from '../features/products/new-product-page.tsx'

export const Route = createFileRoute('/products/new')({
  validateSearch: ({ kind }: Record<string, unknown>): { kind: 'plan' | 'pack' } => ({
    kind: kind === 'pack' ? 'pack' : 'plan',
  }),
  component: () => <NewProductPage kind={Route.useSearch().kind} />,
})
