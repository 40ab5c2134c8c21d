import { useState } from 'react'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { TextArea, TextField } from '../../../../ui/form/field.tsx'
import { useText } from '../../../lib/use-text.ts'
import { ChoiceField } from '../../../ui/choice-field.tsx'
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

type PriceField = readonly [key: keyof PriceText, label: string, hint?: string]
const credits: PriceField = ['credits', 'Credits']
const most: PriceField = ['most', 'Maximum credits per call']
const priceFields: Record<PriceKind, readonly PriceField[]> = {
  default: [],
  fixed: [credits],
  rows: [['at', 'Location of the rows', 'JSON pointer, such as /items.'], credits, ['per', 'Rows per charge'], most],
  units: [
    ['at', 'Header or JSON pointer', 'Such as x-tokens, or /usage/tokens.'],
    credits,
    ['per', 'Units per charge'],
    most,
  ],
  kib: [['credits', 'Credits per KiB'], most],
}

/** Name, description, price and plans of one operation. */
export function OperationDialog({ operation, manifest, onSave, onClose }: OperationDialogProps) {
  const own = ownOf(manifest, operation.id)
  const name = useText(own.name)
  const title = useText(own.title)
  const description = useText(own.description)
  const plans = useText(own.plans?.join(', '))
  const [kind, setKind] = useState<PriceKind>(kindOf(own.credits))
  const [price, setPrice] = useState<PriceText>(textOfPrice(own.credits))
  const save = () => {
    const names = plans.value
      .split(',')
      .map((plan) => plan.trim())
      .filter(Boolean)
    onSave(
      withOwn(manifest, operation.id, {
        publish: true,
        name: name.value.trim() || undefined,
        title: title.value.trim() || undefined,
        description: description.value.trim() || undefined,
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
        {...name.field}
      />
      <TextField label="Title" placeholder={operation.title} {...title.field} />
      <TextArea label="Description" rows={3} placeholder={operation.description} {...description.field} />
      <ChoiceField label="Price" value={kind} options={kinds} onChange={setKind} />
      {priceFields[kind].length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {priceFields[kind].map(([key, label, hint]) => (
            <TextField
              key={key}
              label={label}
              hint={hint}
              inputMode={key === 'at' ? 'text' : 'numeric'}
              value={price[key]}
              onChange={({ target }) => setPrice({ ...price, [key]: target.value })}
            />
          ))}
        </div>
      )}
      <TextField
        label="Plans"
        hint="Names, separated by commas. If empty, all customers can call it."
        {...plans.field}
      />
    </FormDialog>
  )
}
