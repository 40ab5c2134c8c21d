import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count } from '../../lib/format.ts'
import { DifferenceList } from './difference-list.tsx'
import { effectsOf } from './effects.ts'
import { differences } from './field-text.ts'
import type { ProductDetail } from './product-data.ts'

interface ProductActsProps {
  detail: ProductDetail
  mayDraft: boolean
  isOwner: boolean
}

/** Publish, discard and archive: what this operator may do with the product now. */
export function ProductActs({ detail, mayDraft, isOwner }: ProductActsProps) {
  const [open, setOpen] = useState<'publish' | 'discard' | 'archive' | null>(null)
  const close = () => setOpen(null)
  const { product, draft, live, open_checkouts: checkouts } = detail
  const navigate = useNavigate()
  if (product.job && !product.job.failed && product.job.kind !== 'retire') return null
  return (
    <div className="flex flex-wrap gap-2">
      {isOwner && live && <Button onClick={() => setOpen('archive')}>Archive</Button>}
      {mayDraft && draft && <Button onClick={() => setOpen('discard')}>Discard draft</Button>}
      {isOwner && draft && !draft.outdated && (
        <Button look="primary" onClick={() => setOpen('publish')}>
          Publish
        </Button>
      )}
      {open === 'publish' && draft && (
        <ActDialog
          line="POST /products/{id}/publish"
          params={{ id: product.id }}
          title={`Publish ${draft.fields.name}`}
          about={
            <div className="space-y-2">
              {effectsOf(detail, draft.fields).map((effect) => (
                <p key={effect}>{effect}</p>
              ))}
              {checkouts > 0 && <p>Open checkouts ({count(checkouts)}) keep the price that they show.</p>}
              <DifferenceList changes={differences(live, draft.fields)} />
            </div>
          }
          submit="Publish"
          busy="Publishing"
          input={() => ({ row_version: draft.row_version })}
          onClose={close}
        />
      )}
      {open === 'discard' && draft && (
        <ActDialog
          line="POST /products/{id}/discard"
          params={{ id: product.id }}
          danger
          title="Discard draft"
          about={`The draft that ${draft.edited_by} saved is deleted. The product on sale does not change.`}
          busy="Discarding"
          input={() => ({ row_version: draft.row_version })}
          onDone={() => (product.state === 'new' ? navigate({ to: '/products' }) : true)}
          onClose={close}
        />
      )}
      {open === 'archive' && (
        <ActDialog
          line="POST /products/{id}/archive"
          params={{ id: product.id }}
          danger
          title={`Archive ${product.name}`}
          about={
            <div className="space-y-2">
              <p>New customers cannot buy it from now on.</p>
              {product.kind !== 'pack' && (
                <p>
                  {product.subscribers === 1 ? '1 customer keeps' : `${count(product.subscribers)} customers keep`} it,
                  at their price.
                </p>
              )}
              {checkouts > 0 && <p>Open checkouts ({count(checkouts)}) can still be completed.</p>}
              {product.free && <p>New customers can no longer get a free plan, unless there is another one.</p>}
              {draft && <p>Its draft is discarded.</p>}
            </div>
          }
          submit="Archive"
          busy="Archiving"
          onClose={close}
        />
      )}
    </div>
  )
}
