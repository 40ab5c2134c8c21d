import { useState } from 'react'
import type { TaxDetails } from '#contract/tax-routes.ts'
import { countries } from '../../../lib/countries.ts'
import { SaveDialog } from '../../../ui/dialog/save-dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { type AddressInput, useSetAddress } from './queries.ts'
import { addressText as text } from './text.ts'

/** The billing address as the payment provider keeps it. */
export default function AddressDialog({ details, onClose }: { details: TaxDetails; onClose: () => void }) {
  const [form, setForm] = useState<AddressInput>(() => ({
    name: details.name ?? '',
    country: details.address?.country ?? '',
    line1: details.address?.line1 ?? '',
    line2: details.address?.line2 ?? '',
    city: details.address?.city ?? '',
    postalCode: details.address?.postalCode ?? '',
    state: details.address?.state ?? '',
  }))
  const field = (name: keyof AddressInput, most: number, autoComplete: string) => ({
    label: text[name],
    value: form[name],
    maxLength: most,
    autoComplete,
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  })
  const isRight = form.name.trim() !== '' && form.country !== ''
  return (
    <SaveDialog text={text} save={useSetAddress()} body={isRight ? form : null} onClose={onClose}>
      {(tried) => (
        <>
          <TextField
            {...field('name', 150, 'organization')}
            error={tried && !form.name.trim() ? text.nameMissing : undefined}
          />
          <SelectField
            label={text.country}
            value={form.country}
            autoComplete="country"
            error={tried && !form.country ? text.countryMissing : undefined}
            onChange={({ target }) => setForm({ ...form, country: target.value })}
          >
            {form.country === '' && <option value="">{text.choose}</option>}
            {countries().map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </SelectField>
          <TextField {...field('line1', 200, 'address-line1')} />
          <TextField {...field('line2', 200, 'address-line2')} />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField {...field('postalCode', 20, 'postal-code')} />
            <TextField {...field('city', 100, 'address-level2')} />
          </div>
          <TextField {...field('state', 100, 'address-level1')} />
        </>
      )}
    </SaveDialog>
  )
}
