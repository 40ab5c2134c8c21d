import { useState } from 'react'
import { hasTaxIdForm, taxIdKinds } from '#contract/tax-ids.ts'
import { messageOf } from '../../../lib/http/api-error.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { toast } from '../../../ui/toast/toast-store.ts'
import { useAddTaxId } from './queries.ts'
import { numberText as text } from './text.ts'

/** Adds a tax ID whose form fits its kind. */
export default function TaxIdDialog({ onClose }: { onClose: () => void }) {
  const add = useAddTaxId()
  const [type, setType] = useState('eu_vat')
  const [value, setValue] = useState('')
  const [tried, setTried] = useState(false)
  const { example } = taxIdKinds[type]!
  const fits = hasTaxIdForm(type, value)
  const submit = () => {
    setTried(true)
    if (!fits) return
    add.mutate(
      { type, value },
      {
        onSuccess: () => {
          toast({ title: text.saved })
          onClose()
        },
      },
    )
  }
  return (
    <FormDialog
      title={text.title}
      about={text.about}
      submitLabel={text.save}
      busyLabel={text.saving}
      busy={add.isPending}
      error={add.isError ? messageOf(add.error, '') : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField label={text.kind} value={type} onChange={({ target }) => setType(target.value)}>
        {Object.entries(taxIdKinds).map(([name, { label }]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label={text.value}
        value={value}
        maxLength={60}
        hint={text.looksLike(example)}
        error={tried && !fits ? text.wrong(example) : undefined}
        onChange={({ target }) => setValue(target.value)}
      />
    </FormDialog>
  )
}
