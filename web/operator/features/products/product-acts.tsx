import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
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
  const { product, draft, live } = detail
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
      {open === 'publish' && draft && <PublishDialog detail={detail} draft={draft} onClose={close} />}
      {open === 'discard' && draft && <DiscardDialog detail={detail} draft={draft} onClose={close} />}
      {open === 'archive' && <ArchiveDialog detail={detail} onClose={close} />}
    </div>
  )
}

interface DraftActProps {
  detail: ProductDetail
  draft: NonNullable<ProductDetail['draft']>
  onClose: () => void
}

function PublishDialog({ detail, draft, onClose }: DraftActProps) {
  const { product, live } = detail
  const act = useAct('POST /products/{id}/publish', { id: product.id })
  return (
    <ActDialog
      title={`Publish ${draft.fields.name}`}
      about={
        <div className="space-y-2">
          {effectsOf(detail, draft.fields).map((effect) => (
            <p key={effect}>{effect}</p>
          ))}
          {detail.open_checkouts > 0 && (
            <p>Open checkouts ({count(detail.open_checkouts)}) keep the price that they show.</p>
          )}
          <DifferenceList changes={differences(live, draft.fields)} />
        </div>
      }
      submitLabel="Publish"
      busyLabel="Publishing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ row_version: draft.row_version, reason }, { onSuccess: onClose })}
    />
  )
}

function DiscardDialog({ detail: { product }, draft, onClose }: DraftActProps) {
  const act = useAct('POST /products/{id}/discard', { id: product.id })
  const navigate = useNavigate()
  const discarded = () => (product.state === 'new' ? void navigate({ to: '/products' }) : onClose())
  return (
    <ActDialog
      danger
      title="Discard draft"
      about={`The draft that ${draft.edited_by} saved is deleted. The product on sale does not change.`}
      submitLabel="Discard draft"
      busyLabel="Discarding"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ row_version: draft.row_version, reason }, { onSuccess: discarded })}
    />
  )
}

function ArchiveDialog({ detail, onClose }: Omit<DraftActProps, 'draft'>) {
  const { product, draft, open_checkouts: open } = detail
  const act = useAct('POST /products/{id}/archive', { id: product.id })
  const customers = product.subscribers === 1 ? '1 customer keeps' : `${count(product.subscribers)} customers keep`
  return (
    <ActDialog
      danger
      title={`Archive ${product.name}`}
      about={
        <div className="space-y-2">
          <p>New customers cannot buy it from now on.</p>
          {product.kind !== 'pack' && <p>{customers} it, at their price.</p>}
          {open > 0 && <p>Open checkouts ({count(open)}) can still be completed.</p>}
          {product.free && <p>New customers can no longer get a free plan, unless there is another one.</p>}
          {draft && <p>Its draft is discarded.</p>}
        </div>
      }
      submitLabel="Archive"
      busyLabel="Archiving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}
