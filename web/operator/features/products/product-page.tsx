import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { useRole } from '../../lib/use-role.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { DifferenceList } from './difference-list.tsx'
import { differences } from './field-text.ts'
import { ProductActs } from './product-acts.tsx'
import { ProductBadges } from './product-badges.tsx'
import { type ProductDetail, productQuery } from './product-data.ts'
import { ProductEditor } from './product-editor.tsx'
import { ProductPrices } from './product-prices.tsx'
import { BackToProducts } from './sub-navigation.tsx'

const productTabs = ['edit', 'prices', 'history'] as const
const labels = { edit: 'Edit', prices: 'Prices and customers', history: 'History' } as const

/** One product: its draft, its prices with their customers, and what was published. */
export function ProductPage() {
  const query = useQuery(productQuery(useRouteId()))
  return (
    <>
      <BackToProducts />
      <Loaded query={query} what="product" bars={['h-9 w-1/3', 'h-64']}>
        {({ product }) => <Product detail={product} />}
      </Loaded>
    </>
  )
}

function Product({ detail }: { detail: ProductDetail }) {
  const { tab: asked }: { tab?: string } = useSearch({ strict: false })
  const tab = productTabs.find((one) => one === asked) ?? 'edit'
  const navigate = useNavigate()
  const { product } = detail
  const isOwner = useRole('owner')
  const mayDraft = useRole('owner', 'finance')
  return (
    <>
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
          navigate({ to: '.', search: (next === 'edit' ? {} : { tab: next }) as never, replace: true })
        }
      >
        <div className="mt-4 space-y-5">
          {tab === 'edit' && <ProductEditor key={product.id} detail={detail} mayDraft={mayDraft} />}
          {tab === 'prices' && <ProductPrices detail={detail} />}
          {tab === 'history' && (
            <List
              title="Versions"
              about="What was published from this console. Changes made directly at the payment provider are not listed."
              rows={historyOf(detail)}
              columns={history}
              keyOf={({ version }) => version}
              empty={{
                title: 'No versions yet',
                about: 'Each time this product is published, a version appears here.',
              }}
            />
          )}
        </div>
      </Tabs>
    </>
  )
}

/** What was published here, newest first, each with its difference to the version before. */
const historyOf = ({ versions }: ProductDetail) =>
  versions.map((one, at) => ({
    ...one,
    changes: one.fields && differences(versions[at + 1]?.fields ?? null, one.fields),
  }))

const history: Columns<ReturnType<typeof historyOf>[number]> = [
  col('Version', ({ version }) => version),
  time('Time (UTC)', (one) => one.published_at),
  col('Operator', (one) => one.published_by),
  col('Change', 'prose', ({ changes }) => (changes === null ? 'Archived' : <DifferenceList changes={changes} />)),
  col('Reason', 'prose', ({ reason }) => reason),
]

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
        <Notice tone="warning">
          {work[job.kind]} Since {utcTime(job.since)} UTC
          {job.attempts > 0 &&
            `, ${count(job.attempts)} ${job.attempts === 1 ? 'attempt' : 'attempts'}. ${job.error ?? ''}`}
        </Notice>
      )}
      {job?.failed && (
        <Notice tone="danger">
          The payment provider refused this: {job.error} Change the draft, then publish it again.
        </Notice>
      )}
      {draft?.outdated && (
        <Notice tone="danger">
          The product on sale has changed since this draft was started, so the draft cannot be published. Compare the
          changes, discard the draft, and start again.
        </Notice>
      )}
    </>
  )
}
