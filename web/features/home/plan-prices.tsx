import { Check } from 'lucide-react'
import type { Plan } from '#contract/billing.ts'
import { Loading } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { priceText } from '../billing/plan-price.ts'
import { PlanSkeleton } from '../billing/plan-skeleton.tsx'
import { usePublicPlans } from '../billing/use-public-plans.ts'
import { homeText as text } from './text.ts'

/** The catalogue for visitors: what each plan costs and holds. */
export function PlanPrices() {
  const { plans, error, retry } = usePublicPlans()
  if (error) return <ErrorState title={text.plansFailed} error={error} onRetry={retry} />
  if (!plans)
    return (
      <Loading label={text.plansLoading} className={gridClass}>
        {[0, 1, 2].map((card) => (
          <PlanSkeleton key={card} button={false} />
        ))}
      </Loading>
    )
  return (
    <ul className={gridClass}>
      {plans
        .filter((plan) => plan.active)
        .map((plan) => (
          <PlanPrice key={plan.id} plan={plan} />
        ))}
    </ul>
  )
}

const gridClass = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3'

function PlanPrice({ plan }: { plan: Plan }) {
  const { amount, per } = priceText(plan)
  return (
    <li className="min-w-0 rounded-card border border-line bg-surface p-5">
      <h3 className="font-strong">{plan.name}</h3>
      <p className="mt-2 flex items-baseline gap-1.5">
        <span className="text-title font-strong figures">{amount}</span> <span className="text-muted">{per}</span>
      </p>
      <p className="mt-1 text-muted">{plan.description}</p>
      <ul className="mt-4 space-y-1.5 border-t border-line pt-4">
        {plan.marketing_features.map(({ name }) => (
          <li key={name} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            {name}
          </li>
        ))}
      </ul>
    </li>
  )
}
