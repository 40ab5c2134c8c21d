import { Badge } from '../../../ui/badge.tsx'
import type { Product } from './product-data.ts'

const waiting = { publish: 'Publishing', archive: 'Archiving', retire: 'Ending old price' } as const

/** What is special about a product, in words. */
export function ProductBadges({ product: { state, draft, job } }: { product: Product }) {
  return (
    <>
      {state === 'new' && <Badge>New</Badge>}
      {state === 'archived' && <Badge>Archived</Badge>}
      {state === 'unsold' && <Badge>Not offered</Badge>}
      {draft && <Badge tone="accent">Draft</Badge>}
      {job && (
        <Badge tone={job.failed ? 'danger' : 'warning'}>
          {job.failed ? 'Refused by payment provider' : waiting[job.kind]}
        </Badge>
      )}
    </>
  )
}
