import type { Credits } from '#contract/billing.ts'
import { formatUtcDate, formatWhole } from '../../lib/format.ts'
import type { Figure } from './figure-notes.ts'

/** The remaining credits, with the day they run out, or else what the plan gives; `included` is null without a plan. */
export function creditsFigure(
  { remaining, unlimited, payAsYouGoEnabled }: Credits,
  included: number | null,
  runOutOn: Date | null,
): Figure {
  if (unlimited) return { value: '∞', note: 'Unlimited' }
  const value = formatWhole(remaining)
  if (remaining === 0 && payAsYouGoEnabled) return { value, note: 'Billed as pay-as-you-go' }
  if (remaining === 0) return { value, note: included === null ? 'A plan adds credits' : 'Calls need more credits' }
  if (runOutOn) return { value, note: `Run out on ${formatUtcDate(runOutOn)}` }
  return { value, note: included !== null && included >= remaining ? `of ${formatWhole(included)}` : 'Ready to spend' }
}
