import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { call } from '../../lib/api.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { draftOf, formOf, type Shop, type ShopForm } from './draft.ts'
import { PageFields } from './page-fields.tsx'
import { ShopPreview } from './preview.tsx'
import { SellerCard } from './seller-card.tsx'
import { ShopFields } from './shop-fields.tsx'

/** The settings of the shop as a form, with a preview beside it. Each change is checked by the server as it is made. */
export function ShopEditor({ shop, isOwner }: { shop: Shop; isOwner: boolean }) {
  const [form, setForm] = useState<ShopForm>(() => formOf(shop))
  const [pictures, setPictures] = useState({ logo: shop.logo, logo_dark: shop.logo_dark })
  const [touched, setTouched] = useState(false)
  const [applying, setApplying] = useState(false)
  const draft = draftOf(form, shop.settings)
  const asked = useDeferredValue(draft)
  const body = JSON.stringify(asked)
  const check = useQuery({
    queryKey: ['operator', 'shop', 'check', body],
    queryFn: ({ signal }) => call('POST /shop/check', { body: JSON.parse(body), signal }),
    // Others cannot apply anything.
    enabled: isOwner,
    placeholderData: (before) => before,
    gcTime: 0,
  })
  const problems = check.data?.problems ?? []
  const errorOf = (field: string): string | undefined => {
    if (!touched) return undefined
    const found = problems.find((one) => one.field === field)
    return found && sentence(found.problem.replace(/^[\w.]+: /, ''))
  }
  const set = (change: Partial<ShopForm>) => {
    setTouched(true)
    setForm((before) => ({ ...before, ...change }))
  }
  const isChecked = check.data !== undefined && !check.isPlaceholderData && !check.isFetching
  const ready = isChecked && problems.length === 0
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0 space-y-5">
        <Card
          title="Settings"
          about="Only the name is required. Empty fields use their defaults."
          aside={touched && isChecked && problems.length > 0 && <Badge tone="danger">Not ready</Badge>}
        >
          <fieldset disabled={!isOwner} className="min-w-0">
            <legend className="sr-only">Settings of the shop</legend>
            <ShopFields
              form={form}
              shop={shop}
              errorOf={errorOf}
              onChange={set}
              onPicture={(change) => setPictures((before) => ({ ...before, ...change }))}
            />
          </fieldset>
        </Card>
        <SellerCard seller={form.seller} disabled={!isOwner} errorOf={errorOf} onChange={(seller) => set({ seller })} />
        <Card
          title="Pages"
          about="Write in Markdown; HTML is shown as text. If a field is empty, the built-in page is used, or none."
        >
          <fieldset disabled={!isOwner} className="min-w-0">
            <legend className="sr-only">Pages of the shop</legend>
            <PageFields pages={form.pages} errorOf={errorOf} onChange={(pages) => set({ pages })} />
          </fieldset>
        </Card>
        {isOwner && (
          <div className="flex flex-wrap items-center gap-3">
            <Button look="primary" disabled={!ready || !touched} onClick={() => setApplying(true)}>
              Apply settings
            </Button>
            {!touched && <p className="text-muted">Change a setting first.</p>}
            {touched && isChecked && problems.length > 0 && (
              <p role="status" className="text-danger">
                {problems.length === 1 ? 'One setting is' : `${problems.length} settings are`} not valid yet.
              </p>
            )}
            {check.error && !check.data && (
              <p role="alert" className="text-danger">
                {check.error.message}
              </p>
            )}
          </div>
        )}
      </div>
      <div className="xl:sticky xl:top-[calc(var(--header-height)+1.25rem)]">
        <ShopPreview
          name={form.name}
          promise={form.promise}
          accent={check.data?.accent ?? null}
          logo={pictures.logo}
          logoDark={pictures.logo_dark}
        />
      </div>
      {applying && <ApplyDialog shop={shop} draft={draft} onClose={() => setApplying(false)} />}
    </div>
  )
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
