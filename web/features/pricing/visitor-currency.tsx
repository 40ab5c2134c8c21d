import { type Dispatch, type SetStateAction, startTransition, useEffect } from 'react'
import { useChosenCurrency } from '../plans/chosen-currency.ts'
import { CurrencyChoice } from '../plans/currency-choice.tsx'
import { currenciesOf, planIn } from '../plans/plan-in.ts'
import type { ShownPlan } from './fallback-plans.ts'

/** A plan at its price in a currency; null if it has none. */
export type InCurrency = (plan: ShownPlan) => ShownPlan | null

interface VisitorCurrencyProps {
  plans: readonly ShownPlan[]
  /** Sets how plans are shown in the chosen currency. */
  onChoose: Dispatch<SetStateAction<InCurrency>>
}

/** The choice of a visitor, in a script of its own: most installations sell in one currency. */
export default function VisitorCurrency({ plans, onChoose }: VisitorCurrencyProps) {
  const currencies = currenciesOf(plans)
  const chosen = useChosenCurrency()
  const currency = chosen && currencies.includes(chosen) ? chosen : currencies[0]!
  useEffect(() => {
    // The parts below, drawn by the server, stay until their scripts have come.
    startTransition(() => onChoose(() => (plan: ShownPlan) => planIn(plan, currency)))
  }, [currency, onChoose])
  const missing = plans.filter((plan) => !planIn(plan, currency)).map(({ name }) => name)
  return <CurrencyChoice currency={currency} currencies={currencies} missing={missing} />
}
