import { readMoney } from '#contract/typed-money.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import { money } from '../../lib/format.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { yearCents } from './field-text.ts'
import type { Fields } from './product-data.ts'
import type { Form, Problems } from './product-form.ts'

interface ProductFieldsProps {
  kind: Fields['kind']
  currency: string
  /** A plan that costs nothing, and stays so. */
  free: boolean
  form: Form
  problems: Problems | null
  readOnly: boolean
  onChange: (form: Form) => void
}

/** The fields of a plan, a pack or pay-as-you-go. */
export function ProductFieldSet({ kind, currency, free, form, problems, readOnly, onChange }: ProductFieldsProps) {
  const text = (field: keyof Form) => ({
    value: String(form[field]),
    error: problems?.[field],
    readOnly,
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...form, [field]: target.value }),
  })
  const cents = readMoney(form.price, currency) ?? 0
  const unit = currency.toUpperCase()
  return (
    <div className="space-y-4">
      <TextField label="Name" maxLength={60} {...text('name')} />
      <TextField label="Description" maxLength={300} {...text('description')} />
      <div className="grid gap-4 sm:grid-cols-2">
        {free ? (
          <TextField label={`Price (${unit})`} value="Free" readOnly />
        ) : (
          <TextField
            label={kind === 'payg' ? `Price per 100 requests (${unit})` : `Price (${unit})`}
            inputMode="decimal"
            {...text('price')}
          />
        )}
        {kind === 'plan' && !free && (
          <ChoiceField
            label="Billed"
            value={form.interval}
            options={{ month: 'Monthly', year: 'Yearly' }}
            disabled={readOnly}
            onChange={(interval) => onChange({ ...form, interval })}
          />
        )}
        {kind !== 'payg' && !form.unlimited && (
          <TextField
            label={kind === 'pack' ? 'Credits' : 'Credits per month'}
            inputMode="numeric"
            {...text('credits')}
          />
        )}
        {kind !== 'pack' && <TextField label="Requests per minute" inputMode="numeric" {...text('rate')} />}
        {kind === 'plan' && !free && (
          <TextField label="Free trial (days)" hint="0 means no trial." inputMode="numeric" {...text('trial')} />
        )}
        {!free && (
          <>
            <ChoiceField
              label="Tax"
              value={form.tax}
              options={{
                ...(form.tax === '' && { '': 'Not set' }),
                exclusive: 'Added to the price',
                inclusive: 'Included in the price',
              }}
              disabled={readOnly}
              onChange={(tax) => onChange({ ...form, tax })}
            />
            <TextField label="Tax code (optional)" hint="Stripe's code, such as txcd_10103001." {...text('taxCode')} />
          </>
        )}
      </div>
      {!free && (
        <TextField
          label="Prices in other currencies"
          hint={
            kind === 'payg'
              ? 'Of 100 requests, and the least that a month costs, such as EUR 0.01 from 1.00, JPY 2 from 150. Customers choose one, and pay in it from then on.'
              : 'Such as EUR 17.00, JPY 2900. Customers choose one, and pay in it from then on.'
          }
          autoComplete="off"
          {...text('others')}
        />
      )}
      {kind === 'plan' && (
        <div className="space-y-2">
          <Checkbox
            label="Unlimited credits"
            checked={form.unlimited}
            disabled={readOnly}
            onChange={({ target }) => onChange({ ...form, unlimited: target.checked })}
          />
          {!free && form.interval === 'month' && (
            <Checkbox
              label={`Also sold yearly${cents > 0 ? `, for ${money(yearCents(cents), currency)}` : ''}: 12 months minus 20%`}
              checked={form.yearly}
              disabled={readOnly}
              onChange={({ target }) => onChange({ ...form, yearly: target.checked })}
            />
          )}
        </div>
      )}
      {kind !== 'pack' && (
        <TextArea
          label="Features"
          hint="One per line, at most 15. They are listed on the plan's card."
          rows={5}
          {...text('features')}
        />
      )}
    </div>
  )
}
