import type { Credits, Subscription } from '#contract/billing.ts'
import { formatDate, formatWhole } from '../../lib/format.ts'
import { creditsRunOutOn } from '../credits/credit-outlook.ts'
import type { Figure } from './figure-notes.ts'

/** The day the credits run out at this period's pace; null if that is unknown, or if they last until the period ends. */
export const runOutOn = (remaining: number, subscription: Subscription | null, now: Date): Date | null =>
  subscription &&
  creditsRunOutOn({
    remaining,
    included: subscription.plan.credits_included,
    periodEndSeconds: subscription.current_period_end,
    interval: subscription.plan.interval,
    now,
  })

/** The remaining credits, with the day they run out, or else the total. */
export function creditsFigure(
  { remaining, unlimited, payAsYouGoEnabled }: Credits,
  subscription: Subscription | null,
  now: Date,
): Figure {
  if (unlimited) return { value: '∞', note: 'Unlimited' }
  const value = formatWhole(remaining)
  const emptyOn = remaining > 0 && runOutOn(remaining, subscription, now)
  if (emptyOn) return { value, note: `Run out on ${formatDate(emptyOn)} at this pace` }
  if (remaining === 0 && payAsYouGoEnabled) return { value, note: 'Billed as pay-as-you-go' }
  if (remaining === 0) return { value, note: subscription ? 'Calls need more credits' : 'A plan adds credits' }
  const included = subscription?.plan.credits_included ?? 0
  return { value, note: included >= remaining ? `of ${formatWhole(included)}` : 'Ready to spend' }
}
