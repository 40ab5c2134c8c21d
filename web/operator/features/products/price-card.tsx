import { useState } from 'react'
import { isMostPopular } from '../../../features/plans/annual-price.ts'
import { PlanCard } from '../../../features/plans/plan-card.tsx'
import { planFeatures } from '../../../features/plans/plan-terms.ts'
import { PopularBadge } from '../../../features/plans/popular-badge.tsx'
import type { ShownPlan } from '../../../features/pricing/fallback-plans.ts'
import { shownPrice } from '../../../features/pricing/shown-plans.ts'
import { pricingText } from '../../../features/pricing/text.ts'
import { Card } from '../../../ui/card.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { count, money } from '../../lib/format.ts'
import { yearCents } from './field-text.ts'
import type { Fields } from './product-data.ts'

/** The product as visitors see it: a plan's card of the pricing page, a pack's sentence of Billing. */
export function PriceCard({ fields }: { fields: Fields }) {
  const [billed, setBilled] = useState<'monthly' | 'annual'>('monthly')
  const annual = fields.kind === 'plan' && fields.yearly
  return (
    <Card
      title="As visitors see it"
      aside={
        annual && (
          <Segments
            label="Billing"
            look="frame"
            value={billed}
            options={[
              { value: 'monthly', label: pricingText.billedMonthly },
              { value: 'annual', label: pricingText.billedAnnually },
            ]}
            onChange={setBilled}
          />
        )
      }
    >
      {fields.kind === 'pack' ? (
        <div className="rounded-card border border-line p-5">
          <p className="text-prose font-strong [overflow-wrap:anywhere]">{fields.name || 'Name'}</p>
          <p className="mt-1 text-muted">{fields.description || 'Description'}</p>
          <p className="mt-3 figures">
            A pack of {count(fields.credits)} credits costs {money(fields.price_cents, fields.currency)}.
          </p>
        </div>
      ) : (
        <ul className="grid grid-rows-[repeat(6,auto)]">
          <Shown fields={fields} annual={annual && billed === 'annual'} />
        </ul>
      )}
    </Card>
  )
}

function Shown({ fields, annual }: { fields: Exclude<Fields, { kind: 'pack' }>; annual: boolean }) {
  const plan = shownPlan(fields)
  const popular = isMostPopular(plan)
  const { price, per, note } = shownPrice(plan, annual)
  return (
    <PlanCard
      name={plan.name}
      about={plan.description}
      price={price}
      per={per}
      note={note}
      features={planFeatures(plan)}
      badge={popular && <PopularBadge />}
      marked={popular}
    />
  )
}

function shownPlan(fields: Exclude<Fields, { kind: 'pack' }>): ShownPlan {
  const { name, description, currency, features } = fields
  const payg = fields.kind === 'payg'
  const cents = payg ? 0 : fields.price_cents
  return {
    id: 'draft',
    name: name || 'Name',
    description: description || 'Description',
    price: cents,
    currency,
    interval: payg ? 'month' : fields.interval,
    type: cents === 0 && !payg ? 'free' : 'paid',
    credits: payg ? 0 : fields.credits,
    metadata: payg ? { type: 'payg' } : { trial_days: String(fields.trial_days) },
    default_price: { id: 'draft', unit_amount_decimal: payg ? fields.unit_cents : String(cents) },
    marketing_features: features.map((feature) => ({ name: feature })),
    ...(!payg && fields.yearly && { annual: { priceId: 'draft', price: yearCents(cents) } }),
  }
}
