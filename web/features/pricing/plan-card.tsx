import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../../lib/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { isMostPopular } from '../billing/annual-price.ts'
import type { ShownPlan } from './fallback-plans.ts'
import { shownPrice } from './shown-plans.ts'
import { pricingText as text } from './text.ts'

/** A plan for visitors, at its price for a month, or for a month of a year paid at once. */
export function PublicPlanCard({ plan, annual }: { plan: ShownPlan; annual: boolean }) {
  const { user } = useSession()
  const popular = isMostPopular(plan)
  const { price, note } = shownPrice(plan, annual)
  return (
    <PriceCard
      title={plan.name}
      about={plan.description}
      badge={popular && <Badge tone="accent">{text.popular}</Badge>}
      price={price}
      per={text.perMonth}
      note={note}
      features={plan.marketing_features.map(({ name }) => name)}
      action={
        <Link
          to={user ? '/dashboard/billing' : '/login'}
          className={buttonClass({ look: popular ? 'primary' : 'secondary', wide: true })}
        >
          {plan.type === 'free' ? text.startFree : text.choose(plan.name)}
        </Link>
      }
    />
  )
}

interface PriceCardProps {
  title: string
  about: string
  badge?: ReactNode
  price: string
  per: string
  note?: string
  features: readonly string[]
  action: ReactNode
}

/** Name, price, what it includes, and the way to it. */
export function PriceCard({ title, about, badge, price, per, note, features, action }: PriceCardProps) {
  return (
    <li className="flex min-w-0 flex-col rounded-card border border-line bg-surface p-5">
      <div className="flex min-h-6 items-start justify-between gap-2">
        <h2 className="min-w-0 text-prose font-strong">{title}</h2>
        {badge}
      </div>
      <p className="mt-2 flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-title font-strong figures">{price}</span> <span className="text-muted">{per}</span>
      </p>
      <p className="min-h-5 text-muted max-sm:empty:hidden">{note}</p>
      {/* Two lines where cards stand side by side, so that the lists below begin at one height. */}
      <p className="mt-2 lg:min-h-10">{about}</p>
      <ul className="mt-4 mb-6 space-y-1.5 border-t border-line pt-4">
        {features.map((feature) => (
          <li key={feature} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="min-w-0">{feature}</span>
          </li>
        ))}
      </ul>
      <div className="mt-auto">{action}</div>
    </li>
  )
}
