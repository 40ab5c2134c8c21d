import { createFileRoute } from '@tanstack/react-router'
import { ProductPage, type ProductTab, productTabs } from '../features/products/product-page.tsx'

export const Route = createFileRoute('/products/$id')({
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: ProductTab } => {
    const known = productTabs.find((one) => one === tab)
    return known && known !== 'edit' ? { tab: known } : {}
  },
  component: Page,
})

function Page() {
  const { id } = Route.useParams()
  const { tab = 'edit' } = Route.useSearch()
  return <ProductPage id={id} tab={tab} />
}
