import { useState } from 'react'
import type { TaxDetails } from '#contract/tax-routes.ts'
import { countries } from '../../../lib/countries.ts'
import { messageOf } from '../../../lib/http/api-error.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { toast } from '../../../ui/toast/toast-store.ts'
import { type AddressInput, useSetAddress } from './queries.ts'
import { addressText as text } from './text.ts'

/** The billing address as the payment provider keeps it. */
export default function AddressDialog({ details, onClose }: { details: TaxDetails; onClose: () => void }) {
  const save = useSetAddress()
  const [form, setForm] = useState<AddressInput>(() => ({
    name: details.name ?? '',
    country: details.address?.country ?? '',
    line1: details.address?.line1 ?? '',
    line2: details.address?.line2 ?? '',
    city: details.address?.city ?? '',
    postalCode: details.address?.postalCode ?? '',
    state: details.address?.state ?? '',
  }))
  const [tried, setTried] = useState(false)
  const field = (name: keyof AddressInput, most: number, autoComplete: string) => ({
    label: text[name],
    value: form[name],
    maxLength: most,
    autoComplete,
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  })
  const submit = () => {
    setTried(true)
    if (!form.name.trim() || !form.country) return
    save.mutate(form, {
      onSuccess: () => {
        toast({ title: text.saved })
        onClose()
      },
    })
  }
  return (
    <FormDialog
      title={text.title}
      about={text.about}
      submitLabel={text.save}
      busyLabel={text.saving}
      busy={save.isPending}
      error={tried && !form.country ? text.countryMissing : save.isError ? messageOf(save.error, '') : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        {...field('name', 150, 'organization')}
        error={tried && !form.name.trim() ? text.nameMissing : undefined}
      />
      <SelectField
        label={text.country}
        value={form.country}
        autoComplete="country"
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
    </FormDialog>
  )
}
