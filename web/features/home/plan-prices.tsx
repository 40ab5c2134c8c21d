import { ErrorState } from '../../ui/states.tsx'
import { isMostPopular } from '../plans/annual-price.ts'
import { ChoosePlan } from '../plans/choose-plan.tsx'
import { PlanCard, PlansLoading } from '../plans/plan-card.tsx'
import { priceText } from '../plans/plan-price.ts'
import { planFeatures, planTerms } from '../plans/plan-terms.ts'
import { PopularBadge } from '../plans/popular-badge.tsx'
import { usePublicPlans } from '../plans/use-public-plans.ts'
import { detailsText as text } from './details-text.ts'

/** The plan catalog for visitors: prices and features. */
export function PlanPrices() {
  const { plans, error, retry } = usePublicPlans()
  if (error) return <ErrorState title={text.plansFailed} error={error} onRetry={retry} />
  if (!plans) return <PlansLoading label={text.plansLoading} className={gridClass} />
  return (
    <ul className={gridClass}>
      {plans
        .filter((plan) => plan.active)
        .map((plan) => {
          const { amount, per } = priceText(plan)
          const popular = isMostPopular(plan)
          return (
            <PlanCard
              key={plan.id}
              name={plan.name}
              about={plan.description}
              badge={popular && <PopularBadge />}
              marked={popular}
              price={amount}
              per={per}
              note={planTerms(plan)}
              features={planFeatures(plan)}
              action={<ChoosePlan plan={plan} popular={popular} />}
            />
          )
        })}
    </ul>
  )
}

const gridClass = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3'
