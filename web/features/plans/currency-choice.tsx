import { Segments } from '../../ui/segments.tsx'
import { chooseCurrency } from './chosen-currency.ts'

interface CurrencyChoiceProps {
  currency: string
  currencies: readonly string[]
  /** Names of plans that are not sold in the chosen currency. */
  missing: readonly string[]
}

/** What to pay in, where there is a choice. */
export function CurrencyChoice({ currency, currencies, missing }: CurrencyChoiceProps) {
  const options = currencies.map((value) => ({ value, label: value.toUpperCase() }))
  return (
    <>
      <Segments label="Currency" look="frame" value={currency} options={options} onChange={chooseCurrency} />
      {missing.length > 0 && (
        <p className="w-full text-muted">
          Not sold in {currency.toUpperCase()}: {missing.join(', ')}.
        </p>
      )}
    </>
  )
}
