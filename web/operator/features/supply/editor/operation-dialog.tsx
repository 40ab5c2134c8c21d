import { useState } from 'react'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { SelectField, TextArea, TextField } from '../../../../ui/form/field.tsx'
import { type Manifest, ownOf, type ReadOperation, withOwn } from './manifest.ts'
import { kindOf, type PriceKind, type PriceText, priceOf, textOfPrice } from './price-text.ts'

interface OperationDialogProps {
  operation: ReadOperation
  manifest: Manifest
  onSave: (manifest: Manifest) => void
  onClose: () => void
}

const kinds: Record<PriceKind, string> = {
  default: 'Default price',
  fixed: 'Per call',
  rows: 'By rows in the response',
  units: 'By units that the response reports',
  kib: 'By response size',
}

/** Name, description, price and plans of one operation. */
export function OperationDialog({ operation, manifest, onSave, onClose }: OperationDialogProps) {
  const own = ownOf(manifest, operation.id)
  const [name, setName] = useState(own.name ?? '')
  const [title, setTitle] = useState(own.title ?? '')
  const [description, setDescription] = useState(own.description ?? '')
  const [plans, setPlans] = useState((own.plans ?? []).join(', '))
  const [kind, setKind] = useState<PriceKind>(kindOf(own.credits))
  const [price, setPrice] = useState<PriceText>(textOfPrice(own.credits))
  const change = (key: keyof PriceText) => (event: { target: { value: string } }) =>
    setPrice({ ...price, [key]: event.target.value })
  const save = () => {
    const names = plans
      .split(',')
      .map((plan) => plan.trim())
      .filter(Boolean)
    onSave(
      withOwn(manifest, operation.id, {
        publish: true,
        name: name.trim() || undefined,
        title: title.trim() || undefined,
        description: description.trim() || undefined,
        plans: names.length > 0 ? names : undefined,
        credits: priceOf(kind, price),
      }),
    )
  }
  return (
    <FormDialog
      title={operation.title}
      about={
        <>
          <code className="font-mono">
            {operation.method} {operation.path}
          </code>
          {operation.inputs.length > 0 && <>, with {operation.inputs.join(', ')}</>}
        </>
      }
      submitLabel="Done"
      busyLabel="Saving"
      busy={false}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Tool name"
        hint="Lowercase letters, digits and underscores. If empty, it is made from the ID."
        placeholder={operation.tool ?? ''}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Title"
        placeholder={operation.title}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <TextArea
        label="Description"
        rows={3}
        placeholder={operation.description}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField label="Price" value={kind} onChange={(event) => setKind(event.target.value as PriceKind)}>
        {(Object.keys(kinds) as PriceKind[]).map((one) => (
          <option key={one} value={one}>
            {kinds[one]}
          </option>
        ))}
      </SelectField>
      {kind === 'fixed' && (
        <TextField label="Credits" inputMode="numeric" value={price.credits} onChange={change('credits')} />
      )}
      {(kind === 'rows' || kind === 'units') && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={kind === 'rows' ? 'Location of the rows' : 'Header or JSON pointer'}
            hint={kind === 'rows' ? 'JSON pointer, such as /items.' : 'Such as x-tokens, or /usage/tokens.'}
            value={price.at}
            onChange={change('at')}
          />
          <TextField label="Credits" inputMode="numeric" value={price.credits} onChange={change('credits')} />
          <TextField
            label={kind === 'rows' ? 'Rows per charge' : 'Units per charge'}
            inputMode="numeric"
            value={price.per}
            onChange={change('per')}
          />
          <TextField
            label="Maximum credits per call"
            inputMode="numeric"
            value={price.most}
            onChange={change('most')}
          />
        </div>
      )}
      {kind === 'kib' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Credits per KiB" inputMode="numeric" value={price.credits} onChange={change('credits')} />
          <TextField
            label="Maximum credits per call"
            inputMode="numeric"
            value={price.most}
            onChange={change('most')}
          />
        </div>
      )}
      <TextField
        label="Plans"
        hint="Names, separated by commas. If empty, all customers can call it."
        value={plans}
        onChange={(event) => setPlans(event.target.value)}
      />
    </FormDialog>
  )
}
