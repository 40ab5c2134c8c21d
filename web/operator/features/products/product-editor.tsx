import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../lib/http/api-error.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { ConflictCard } from './conflict-card.tsx'
import { DifferenceTable } from './difference-list.tsx'
import { differences } from './field-text.ts'
import { PriceCard } from './price-card.tsx'
import { type Fields, type ProductDetail, productQuery } from './product-data.ts'
import { ProductFieldSet } from './product-field-set.tsx'
import { formOf, readForm, sameFields } from './product-form.ts'

interface ProductEditorProps {
  detail: ProductDetail
  mayDraft: boolean
}

/** What is drafted, sold, or was sold last. */
const shownFields = ({ draft, live, versions }: ProductDetail): Fields | undefined =>
  draft?.fields ?? live ?? versions.find(({ fields }) => fields !== null)?.fields ?? undefined

/**
 * The form at the left, the card as visitors see it at the right, the difference to what is sold below. When another operator saves
 * meanwhile, both versions are shown, and nothing that was typed is lost.
 */
export function ProductEditor({ detail, mayDraft }: ProductEditorProps) {
  const { product, live, draft } = detail
  const stored = shownFields(detail)
  const version = draft?.row_version ?? 0
  const [base, setBase] = useState({ version, fields: stored })
  const [form, setForm] = useState(() => stored && formOf(stored))
  const [saving, setSaving] = useState(false)
  const queries = useQueryClient()
  if (!form || !stored || !base.fields)
    return (
      <Card title="Draft">
        <p className="text-muted">
          The fields of this product are not stored here. Look it up at the payment provider.
        </p>
      </Card>
    )
  const read = readForm(form, product.kind, product.currency, product.free && product.state !== 'new')
  const fields = read.fields
  const untouched = JSON.stringify(form) === JSON.stringify(formOf(base.fields))
  const isSaved = fields !== null && sameFields(fields, stored)
  const moved = version !== base.version || !sameFields(base.fields, stored)
  if (moved && (untouched || isSaved)) {
    setBase({ version, fields: stored })
    setForm(formOf(stored))
  }
  const conflict = moved && !untouched && !isSaved
  const isBusy = product.job !== null && !product.job.failed && product.job.kind !== 'retire'
  const readOnly = !mayDraft || isBusy
  const changes = differences(live, fields ?? stored)
  // When somebody else saved meanwhile, the dialog closes, and the editor shows both.
  const onFail = async (error: Error) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') return
    await queries.invalidateQueries(productQuery(product.id))
    setSaving(false)
  }
  return (
    <>
      {conflict && draft && (
        <ConflictCard
          editor={draft.edited_by}
          changes={differences(stored, fields ?? base.fields)}
          onTake={() => {
            setBase({ version, fields: stored })
            setForm(formOf(stored))
          }}
          onKeep={() => setBase({ version, fields: stored })}
        />
      )}
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card
          title={draft ? 'Draft' : 'Edit'}
          about={
            draft
              ? `Saved by ${draft.edited_by}. Customers see no change until it is published.`
              : 'What you save is a draft. Customers see no change until it is published.'
          }
          footer={
            !readOnly && (
              <div className="flex flex-wrap items-center justify-end gap-2">
                {!untouched && (
                  <Button size="small" onClick={() => setForm(formOf(stored))}>
                    Reset
                  </Button>
                )}
                <Button
                  size="small"
                  look="primary"
                  disabled={untouched || fields === null || conflict}
                  onClick={() => setSaving(true)}
                >
                  Save draft
                </Button>
              </div>
            )
          }
        >
          <ProductFieldSet
            kind={product.kind}
            currency={product.currency}
            free={product.free && product.state !== 'new'}
            form={form}
            problems={read.problems}
            readOnly={readOnly}
            onChange={setForm}
          />
        </Card>
        <PriceCard fields={fields ?? stored} />
      </div>
      <Card title="Changes" flush={changes.length > 0}>
        {changes.length === 0 ? (
          <p className="text-muted">Nothing differs from what is on sale.</p>
        ) : (
          <DifferenceTable
            label="Changes"
            changes={changes}
            before="On sale"
            after={untouched && draft ? 'Draft' : 'This form'}
          />
        )}
      </Card>
      {saving && fields && (
        <ActDialog
          line="POST /products/{id}/draft"
          params={{ id: product.id }}
          title="Save draft"
          about="Customers see no change until an owner publishes it."
          input={() => ({ fields, row_version: base.version })}
          onFail={onFail}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  )
}
