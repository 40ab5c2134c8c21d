import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PriceCard } from './price-card.tsx'
import { type Fields, productsQuery } from './product-data.ts'
import { ProductFieldSet } from './product-field-set.tsx'
import { formOf, newFields, type Problems, readForm } from './product-form.ts'
import { BackToProducts } from './sub-navigation.tsx'

type Kind = 'plan' | 'pack'

/** The first draft of a plan or a pack. */
export function NewProductPage() {
  const { kind = 'plan' }: { kind?: Kind } = useSearch({ strict: false })
  const products = useQuery(productsQuery)
  return (
    <>
      <BackToProducts />
      <PageHeader
        title={kind === 'plan' ? 'New plan' : 'New pack'}
        about={
          kind === 'plan'
            ? 'A plan grants credits each month. It goes on sale when an owner publishes it.'
            : 'A pack is bought once, and its credits never expire. Customers are offered the cheapest pack.'
        }
      />
      <Loaded query={products} what="products" bars={['h-64']}>
        {({ currency }) => <NewProduct key={kind} kind={kind} currency={currency} />}
      </Loaded>
    </>
  )
}

function NewProduct({ kind, currency }: { kind: Kind; currency: string }) {
  const [form, setForm] = useState(() => formOf(newFields(kind, currency)))
  const [tried, setTried] = useState(false)
  const [saving, setSaving] = useState(false)
  const navigate = useNavigate()
  const read = readForm(form, kind, currency, false)
  const { fields } = read
  const shown = fields ?? previewOf(form, kind, currency)
  const problems: Problems | null = tried ? read.problems : null
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card
        title="Draft"
        footer={
          <div className="flex justify-end">
            <Button
              size="small"
              look="primary"
              onClick={() => {
                setTried(true)
                setSaving(fields !== null)
              }}
            >
              Save draft
            </Button>
          </div>
        }
      >
        <ProductFieldSet
          kind={kind}
          currency={currency}
          free={false}
          form={form}
          problems={problems}
          readOnly={false}
          onChange={setForm}
        />
      </Card>
      <PriceCard fields={shown} />
      {saving && fields && (
        <ActDialog
          line="POST /products"
          title="Save draft"
          about="It does not go on sale until an owner publishes it."
          input={() => ({ fields })}
          onDone={({ product }) => navigate({ to: '/products/$id', params: { id: product.product.id } })}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  )
}

/** While something is missing: the words that are there, with the figures to begin with. */
const previewOf = (form: ReturnType<typeof formOf>, kind: Kind, currency: string): Fields => ({
  ...newFields(kind, currency),
  name: form.name,
  description: form.description,
})
