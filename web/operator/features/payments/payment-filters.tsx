import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { type PaymentsSearch, productText } from './search.ts'

/** Chooses what was bought and by whom. The address of the page keeps both. */
export function PaymentFilters({ search }: { search: PaymentsSearch }) {
  const navigate = useNavigate()
  const { product, payer, ...rest } = search
  const go = (next: Partial<Record<'product' | 'payer', string>>) =>
    navigate({ to: '/payments', search: { ...rest, ...next } as PaymentsSearch })
  return (
    <form
      key={payer}
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const given = String(new FormData(event.currentTarget).get('payer')).trim()
        void go({ ...(product && { product }), ...(given && { payer: given }) })
      }}
    >
      <ChoiceField
        label="Bought"
        className="w-44 max-sm:w-full"
        value={product ?? ''}
        options={{ '': 'Calls and balances', ...productText }}
        onChange={(next) => go({ ...(next && { product: next }), ...(payer && { payer }) })}
      />
      <TextField
        label="Payer"
        name="payer"
        className="w-96 max-sm:w-full"
        placeholder="0x…"
        defaultValue={payer ?? ''}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit">Filter</Button>
      {(product || payer) && (
        <Button look="quiet" onClick={() => go({})}>
          Remove filters
        </Button>
      )}
    </form>
  )
}
