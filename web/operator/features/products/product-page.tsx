import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { sessionQuery } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { ProductActs } from './product-acts.tsx'
import { ProductBadges } from './product-badges.tsx'
import { type ProductDetail, productQuery } from './product-data.ts'
import { ProductEditor } from './product-editor.tsx'
import { ProductHistory } from './product-history.tsx'
import { ProductPrices } from './product-prices.tsx'
import { BackToProducts } from './sub-navigation.tsx'

export const productTabs = ['edit', 'prices', 'history'] as const
export type ProductTab = (typeof productTabs)[number]
const labels = { edit: 'Edit', prices: 'Prices and customers', history: 'History' } as const

/** One product: its draft, its prices with their customers, and what was published. */
export function ProductPage({ id, tab }: { id: string; tab: ProductTab }) {
  const query = useQuery(productQuery(id))
  if (!query.data)
    return (
      <>
        <BackToProducts />
        <QueryState
          query={query}
          loading="Loading the product"
          bars={['h-9 w-1/3', 'h-64']}
          failed="The product could not be loaded."
        />
      </>
    )
  return <Loaded detail={query.data.product} tab={tab} />
}

function Loaded({ detail, tab }: { detail: ProductDetail; tab: ProductTab }) {
  const { data: session } = useQuery(sessionQuery)
  const navigate = useNavigate()
  const { product } = detail
  const isOwner = session?.role === 'owner'
  const mayDraft = isOwner || session?.role === 'finance'
  return (
    <>
      <BackToProducts />
      <PageHeader
        title={product.name}
        about={`Product ${product.id}`}
        action={<ProductActs detail={detail} mayDraft={mayDraft} isOwner={isOwner} />}
      />
      <div className="flex flex-wrap gap-2 empty:hidden">
        <ProductBadges product={product} />
      </div>
      <Notices detail={detail} />
      <Tabs
        label="Product"
        value={tab}
        options={productTabs.map((value) => ({ value, label: labels[value] }))}
        onChange={(next) =>
          navigate({ to: '/products/$id', params: { id: product.id }, search: { tab: next }, replace: true })
        }
      >
        <div className="mt-4 space-y-5">
          {tab === 'edit' && <ProductEditor key={product.id} detail={detail} mayDraft={mayDraft} />}
          {tab === 'prices' && <ProductPrices detail={detail} />}
          {tab === 'history' && <ProductHistory detail={detail} />}
        </div>
      </Tabs>
    </>
  )
}

const work = {
  publish: 'Waiting for the payment provider to confirm the published version. The draft stays until then.',
  archive: 'This product is off sale. It is archived at the payment provider when its open checkouts have ended.',
  retire: 'The old price is archived at the payment provider when its open checkouts have ended.',
} as const

/** What waits for Stripe, or for the operator. */
function Notices({ detail: { product, draft } }: { detail: ProductDetail }) {
  const { job } = product
  return (
    <>
      {job && !job.failed && (
        <p role="status" className="rounded-card border border-warning-line bg-warning-soft px-5 py-3 text-warning">
          {work[job.kind]} Since {utcTime(job.since)} UTC
          {job.attempts > 0 &&
            `, ${count(job.attempts)} ${job.attempts === 1 ? 'attempt' : 'attempts'}. ${job.error ?? ''}`}
        </p>
      )}
      {job?.failed && (
        <p role="alert" className="rounded-card border border-danger-line bg-danger-soft px-5 py-3 text-danger">
          The payment provider refused this: {job.error} Change the draft, then publish it again.
        </p>
      )}
      {draft?.outdated && (
        <p role="alert" className="rounded-card border border-danger-line bg-danger-soft px-5 py-3 text-danger">
          The product on sale has changed since this draft was started, so the draft cannot be published. Compare the
          changes, discard the draft, and start again.
        </p>
      )}
    </>
  )
}
