import { clsx } from 'clsx'
import { useState } from 'react'
import { formatMoney } from '#contract/currency.ts'
import { formatWhole } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { RangeField } from '../../ui/form/range-field.tsx'
import { isPayAsYouGo } from '../plans/plan-price.ts'
import { planTerms } from '../plans/plan-terms.ts'
import { calculatorText as text } from './calculator-text.ts'
import { compareCosts } from './compare-costs.ts'
import type { ShownPlan } from './fallback-plans.ts'
import { monthlyCents } from './monthly-cost.ts'
import { planReasons } from './plan-reasons.ts'

const STEPS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000]
/** Named below the slider, which is not linear. */
const MARKED = [500, 10_000, 100_000, 2_000_000]

/** What each plan costs in a month with a number of requests, and when each makes sense. */
export default function Calculator({ plans, annual }: { plans: readonly ShownPlan[]; annual: boolean }) {
  const [step, setStep] = useState(STEPS.indexOf(50_000))
  const requests = STEPS[step]!
  const costs = plans.map((plan) => ({ plan, cents: monthlyCents(plan, requests, annual) }))
  const most = Math.max(1, ...costs.map(({ cents }) => cents ?? 0))
  const { lowest, said } = compareCosts(costs, requests)
  return (
    <section aria-labelledby="calculator" className="rounded-card border border-line bg-surface p-5">
      <h2 id="calculator" className="text-title font-strong">
        {text.title}
      </h2>
      <p className="mt-1 mb-5 text-muted">{text.about}</p>
      <RangeField
        label={text.requests}
        value={step}
        min={0}
        max={STEPS.length - 1}
        shown={text.shown(formatWhole(requests))}
        onChange={setStep}
      />
      <p aria-hidden="true" className="relative mt-1 h-4 text-small text-muted figures">
        {MARKED.map((requests) => (
          <span
            key={requests}
            style={{ left: `${(100 * STEPS.indexOf(requests)) / (STEPS.length - 1)}%` }}
            className="absolute -translate-x-1/2 first:translate-x-0 last:-translate-x-full"
          >
            {formatWhole(requests)}
          </span>
        ))}
      </p>
      <div aria-live="polite">
        <ul className="mt-5 divide-y divide-line border-y border-line">
          {costs.map(({ plan, cents }) => (
            <li
              key={plan.id}
              className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-2 py-3 sm:grid-cols-[16rem_1fr_6rem]"
            >
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-strong">
                  {plan.name}
                  {plan === lowest && <Badge tone="accent">{text.lowest}</Badge>}
                </p>
                <p className="text-small text-muted">{limitOf(plan)}</p>
              </div>
              <span className="h-2.5 rounded-full bg-sunken max-sm:col-span-2 max-sm:row-start-2">
                {cents !== null && (
                  <span
                    style={{ width: `${Math.max(1, (cents / most) * 100)}%` }}
                    className={clsx('block h-full rounded-full', plan === lowest ? 'bg-accent' : 'bg-mark')}
                  />
                )}
              </span>
              <span className={clsx('text-right figures', cents === null ? 'text-muted' : 'text-prose font-strong')}>
                {cents === null ? text.tooFew : formatMoney(cents, plan.currency, true)}
              </span>
            </li>
          ))}
        </ul>
        <p className="mt-4 text-prose font-strong text-pretty">{said}</p>
      </div>
      <h3 className="mt-6 font-strong">{text.reasons}</h3>
      <dl className="mt-2 grid gap-x-8 gap-y-4 md:grid-cols-3">
        {planReasons(plans).map(({ plan, reason }) => (
          <div key={plan.id}>
            <dt className="font-strong">{plan.name}</dt>
            <dd className="mt-0.5 text-pretty text-muted">{reason}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-5 text-small text-pretty text-muted">
        {text.note}{' '}
        <a href="/docs/reference" className="text-accent underline underline-offset-2">
          {text.reference}
        </a>
      </p>
    </section>
  )
}

function limitOf(plan: ShownPlan): string {
  if (isPayAsYouGo(plan)) return text.capped(planTerms(plan))
  return plan.metadata.unlimited === 'true' ? text.unlimited : text.upTo(formatWhole(plan.credits))
}
