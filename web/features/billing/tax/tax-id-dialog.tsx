import { useState } from 'react'
import { hasTaxIdForm, taxIdKinds } from '#contract/tax-ids.ts'
import { SaveDialog } from '../../../ui/dialog/save-dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useAddTaxId } from './queries.ts'
import { numberText as text } from './text.ts'

/** Adds a tax ID whose form fits its kind. */
export default function TaxIdDialog({ onClose }: { onClose: () => void }) {
  const [type, setType] = useState('eu_vat')
  const [value, setValue] = useState('')
  const { example } = taxIdKinds[type]!
  const fits = hasTaxIdForm(type, value)
  return (
    <SaveDialog text={text} save={useAddTaxId()} body={fits ? { type, value } : null} onClose={onClose}>
      {(tried) => (
        <>
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
        </>
      )}
    </SaveDialog>
  )
}
