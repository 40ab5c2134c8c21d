import { Card } from '../../../ui/card.tsx'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import type { SellerForm } from './draft.ts'

interface SellerCardProps {
  seller: SellerForm
  disabled: boolean
  errorOf: (field: string) => string | undefined
  onChange: (seller: SellerForm) => void
}

/** The legal seller, as payment receipts name it. */
export function SellerCard({ seller, disabled, errorOf, onChange }: SellerCardProps) {
  const field = (key: keyof SellerForm) => ({
    value: seller[key],
    error: errorOf(`seller.${key}`),
    onChange: (event: { target: { value: string } }) => onChange({ ...seller, [key]: event.target.value }),
  })
  return (
    <Card
      title="Seller"
      about="The legal seller, named on payment receipts. If all fields are empty, receipts have the business name at Stripe."
    >
      <fieldset disabled={disabled} className="grid min-w-0 gap-4 sm:grid-cols-2">
        <legend className="sr-only">Seller</legend>
        <TextField label="Legal name" hint="As registered, such as Northwind GmbH." {...field('name')} />
        <TextField label="Tax ID" hint="If you have one, such as DE123456789." {...field('tax_id')} />
        <TextArea label="Address" hint="One to six lines." rows={4} className="sm:col-span-2" {...field('address')} />
      </fieldset>
    </Card>
  )
}
