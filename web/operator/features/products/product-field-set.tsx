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
  const cents = Math.round(Number(form.price.replaceAll(',', '')) * 100)
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
      </div>
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
