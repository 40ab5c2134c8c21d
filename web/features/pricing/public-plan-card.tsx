import { isMostPopular } from '../plans/annual-price.ts'
import { ChoosePlan } from '../plans/choose-plan.tsx'
import { PlanCard } from '../plans/plan-card.tsx'
import { planFeatures } from '../plans/plan-terms.ts'
import { PopularBadge } from '../plans/popular-badge.tsx'
import type { ShownPlan } from './fallback-plans.ts'
import { shownPrice } from './shown-plans.ts'

/** A plan card for visitors, priced per month or per month of an annual plan. */
export function PublicPlanCard({ plan, annual }: { plan: ShownPlan; annual: boolean }) {
  const popular = isMostPopular(plan)
  const { price, per, note } = shownPrice(plan, annual)
  return (
    <PlanCard
      heading="h2"
      name={plan.name}
      about={plan.description}
      badge={popular && <PopularBadge />}
      marked={popular}
      price={price}
      per={per}
      note={note}
      features={planFeatures(plan)}
      action={<ChoosePlan plan={plan} popular={popular} />}
    />
  )
}
