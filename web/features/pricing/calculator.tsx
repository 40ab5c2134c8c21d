import { clsx } from 'clsx'
import { useState } from 'react'
import { formatCents, formatWhole } from '../../lib/format.ts'
import { RangeField } from '../../ui/form/range-field.tsx'
import type { ShownPlan } from './fallback-plans.ts'
import { monthlyCents } from './monthly-cost.ts'
import { pricingText } from './text.ts'

const text = pricingText.calculator
const STEPS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000]

/** What each plan costs in a month with a number of requests. */
export default function Calculator({ plans, annual }: { plans: readonly ShownPlan[]; annual: boolean }) {
  const [step, setStep] = useState(STEPS.indexOf(50_000))
  const requests = STEPS[step]!
  const costs = plans.map((plan) => ({ plan, cents: monthlyCents(plan, requests, annual) }))
  const amounts = costs.flatMap(({ cents }) => cents ?? [])
  const [lowest, most] = [Math.min(...amounts), Math.max(...amounts, 1)]
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
      <ul aria-live="polite" className="mt-5 space-y-3">
        {costs.map(({ plan, cents }) => (
          <li
            key={plan.id}
            className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 sm:grid-cols-[9rem_1fr_11rem]"
          >
            <span className="truncate font-strong">{plan.name}</span>
            <span className="col-span-2 row-start-2 h-2.5 rounded-full bg-sunken sm:col-span-1 sm:row-start-auto">
              <span
                style={{ width: `${cents === null ? 0 : Math.max(1.5, (cents / most) * 100)}%` }}
                className={clsx('block h-full rounded-full', cents === lowest ? 'bg-accent' : 'bg-mark')}
              />
            </span>
            <span className="text-right figures">
              {cents === null ? (
                <span className="text-muted">{text.covers(formatWhole(plan.credits))}</span>
              ) : (
                <>
                  {cents === lowest && <span className="mr-2 text-small text-accent">{text.cheapest}</span>}
                  <span className="font-strong">{formatCents(cents, plan.currency)}</span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-5 text-small text-pretty text-muted">{text.note}</p>
    </section>
  )
}
