import { lazy, Suspense, useState } from 'react'
import { PublicPage } from '../../layout/public-page.tsx'
import { useSettings } from '../../lib/settings.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Check } from '../../ui/icons/public.ts'
import { Segments } from '../../ui/segments.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { PlanCard, PlansLoading } from '../plans/plan-card.tsx'
import { usePublicPlans } from '../plans/use-public-plans.ts'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { pricingTerms } from './pricing-terms.ts'
import { PublicPlanCard } from './public-plan-card.tsx'
import { shownPlans } from './shown-plans.ts'
import { pricingText as text } from './text.ts'
import type { InCurrency } from './visitor-currency.tsx'

/** Below the first screen, and drawn by the server: their scripts come later. */
const Calculator = lazy(() => import('./calculator.tsx'))
const QuestionsSection = lazy(() => import('./questions-section.tsx'))
const EnterpriseFeatures = lazy(() => import('./enterprise-features.tsx'))
/** For a moment that few see. */
const FallbackNotice = lazy(() => import('./fallback-notice.tsx'))
const VisitorCurrency = lazy(() => import('./visitor-currency.tsx'))

type Billed = 'monthly' | 'annual'

/** Public pricing: plans, pay-as-you-go, Enterprise and an FAQ. */
export function PricingPage() {
  const { plans, error, retry } = usePublicPlans()
  const [billed, setBilled] = useState<Billed>('monthly')
  const settings = useSettings()
  // A named shop has plans of its own: those of the demonstration would be wrong.
  const listed = plans ? shownPlans(plans, settings.shop.named) : error && !settings.shop.named ? fallbackPlans : null
  const [inCurrency, setInCurrency] = useState<InCurrency>(() => (plan: ShownPlan) => plan)
  const shown = listed?.flatMap((plan) => inCurrency(plan) ?? []) ?? null
  const { about, annual, promises, enterprise } = pricingTerms(shown ?? [], settings)
  return (
    <PublicPage title={text.title} about={about} width="wide">
      <div>
        <Suspense>{error && !settings.shop.named && <FallbackNotice onRetry={retry} />}</Suspense>
        {annual && (
          <div className="mb-5 flex flex-wrap items-center gap-3">
            <Segments
              label="Billing"
              look="frame"
              value={billed}
              options={[
                { value: 'monthly', label: text.billedMonthly },
                { value: 'annual', label: text.billedAnnually },
              ]}
              onChange={setBilled}
            />
            <Badge tone="success">{text.saving}</Badge>
          </div>
        )}
        {listed?.some(({ prices }) => prices) && (
          <div className="mb-5 flex flex-wrap items-center gap-3">
            <Suspense>
              <VisitorCurrency plans={listed} onChoose={setInCurrency} />
            </Suspense>
          </div>
        )}
        {shown ? (
          <ul className={gridClass}>
            {shown.map((plan) => (
              <PublicPlanCard key={plan.id} plan={plan} annual={billed === 'annual'} />
            ))}
            {enterprise && <EnterpriseCard features={enterprise.features} />}
          </ul>
        ) : error ? (
          <ErrorState title={text.failed} error={error} onRetry={retry} />
        ) : (
          <PlansLoading label={text.loading} className={gridClass} count={4} />
        )}
        <ul className="mt-6 flex flex-wrap gap-x-6 gap-y-2 text-muted">
          {promises.map((promise) => (
            <li key={promise} className="flex gap-2">
              <Check aria-hidden="true" className="mt-0.5 size-4 text-accent" />
              {promise}
            </li>
          ))}
        </ul>
      </div>
      <Suspense>{shown && shown.length > 0 && <Calculator plans={shown} annual={billed === 'annual'} />}</Suspense>
      <Suspense>{enterprise && enterprise.features.length > 0 && <EnterpriseFeatures />}</Suspense>
      <Suspense>
        <QuestionsSection plans={shown ?? []} />
      </Suspense>
    </PublicPage>
  )
}

const gridClass = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-4'

function EnterpriseCard({ features }: { features: readonly string[] }) {
  const { links } = useSettings()
  return (
    <PlanCard
      heading="h2"
      name={text.enterprise.title}
      about={text.enterprise.about}
      price={text.enterprise.price}
      per={text.enterprise.per}
      note=""
      features={features}
      action={
        <ExternalLink href={links.sales} className={buttonClass({ wide: true })}>
          {text.enterprise.contact}
        </ExternalLink>
      }
    />
  )
}
