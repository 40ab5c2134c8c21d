import { useQuery } from '@tanstack/react-query'
import { useChosenCurrency } from './chosen-currency.ts'
import { heldPaidPlan } from './current-plan.ts'
import { currenciesOf } from './plan-in.ts'
import { plansQuery, subscriptionQuery } from './queries.ts'

interface Currency {
  /** What prices are shown in; null: each in its own, because one currency is sold. */
  currency: string | null
  currencies: string[]
  /** What the workspace pays in; null before its first payment. */
  paysIn: string | null
  /** The paid plan that has not ended: until then, there is no choice. */
  fixedBy: string | null
}

/** What this workspace pays in, or what it chose. */
export function useCurrency(): Currency {
  const { data } = useQuery(plansQuery)
  const { data: answer } = useQuery(subscriptionQuery)
  const chosen = useChosenCurrency()
  const currencies = currenciesOf(data?.plans ?? [])
  const paysIn = data?.currency ?? null
  const held = heldPaidPlan(answer)
  if (currencies.length < 2) return { currency: null, currencies, paysIn: null, fixedBy: null }
  const free = chosen && currencies.includes(chosen) ? chosen : (paysIn ?? currencies[0]!)
  return { currency: held?.currency ?? free, currencies, paysIn, fixedBy: held?.plan.name ?? null }
}
