import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useFragment } from '../../lib/use-fragment.ts'
import { Badge } from '../../ui/badge.tsx'
import { Segments } from '../../ui/segments.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { CurrencyChoice } from '../plans/currency-choice.tsx'
import { currentSubscription } from '../plans/current-plan.ts'
import { PlansLoading } from '../plans/plan-card.tsx'
import { planIn } from '../plans/plan-in.ts'
import { plansQuery, subscriptionQuery } from '../plans/queries.ts'
import { useCurrency } from '../plans/use-currency.ts'
import { PlanChoice } from './plan-choice.tsx'
import { billingText as text } from './text.ts'
import { useSelectPlan } from './use-select-plan.ts'

type Billed = 'month' | 'year'

/** All plans of the catalog, with the current one marked. */
export function PlanGrid() {
  const plans = useQuery(plansQuery)
  const subscription = useQuery(subscriptionQuery)
  const selection = useSelectPlan()
  const held = currentSubscription(subscription.data)
  const [chosen, setChosen] = useState<Billed | null>(null)
  const billed = chosen ?? (held?.plan_type === 'paid' ? held.plan.interval : 'month')
  const { currency, currencies, fixedBy } = useCurrency()
  const all = plans.data?.plans ?? []
  const sold = currency === null ? all : all.flatMap((plan) => planIn(plan, currency) ?? [])
  const missing = all.filter(({ id }) => sold.every((plan) => plan.id !== id)).map(({ name }) => name)
  const sellsAnnual = sold.some((plan) => plan.annual !== undefined)
  const heading = useRef<HTMLHeadingElement>(null)
  useFragment('plans', () => heading.current?.focus())
  const retry = () => void Promise.all([plans.refetch(), subscription.refetch()])
  return (
    <section aria-labelledby="plans" className="scroll-mt-20 pt-4">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 ref={heading} id="plans" tabIndex={-1} className="mr-auto text-title font-strong">
          {text.plans}
        </h2>
        {sellsAnnual && (
          <>
            <Segments label="Billing" look="frame" value={billed} options={intervals} onChange={setChosen} />
            <Badge tone="success">{text.saving}</Badge>
          </>
        )}
        {currency !== null && fixedBy === null && (
          <CurrencyChoice currency={currency} currencies={currencies} missing={missing} />
        )}
        {currency !== null && fixedBy !== null && (
          <p className="w-full text-muted">{text.currencyFixed(currency.toUpperCase(), fixedBy)}</p>
        )}
      </div>
      {plans.isPending && <PlansLoading label={text.loading} className={gridClass} />}
      {plans.error && !plans.data && (
        <div className="rounded-card border border-line bg-surface">
          <ErrorState title={text.failed} error={plans.error} onRetry={retry} retrying={plans.isFetching} />
        </div>
      )}
      {plans.data && (
        <ul className={gridClass}>
          {sold.map((plan) => (
            <PlanChoice
              key={plan.id}
              plan={plan}
              yearly={billed === 'year'}
              currency={currency}
              answer={subscription.data}
              selection={selection}
            />
          ))}
        </ul>
      )}
      <p role="alert" className="text-danger not-empty:mt-3">
        {selection.error}
      </p>
    </section>
  )
}

const intervals = [
  { value: 'month', label: text.monthly },
  { value: 'year', label: text.annual },
] as const

export const gridClass = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3'
