import { useQuery } from '@tanstack/react-query'
import type { CreditHistory } from '#contract/usage.ts'
import { useNow } from '../../lib/use-now.ts'
import { useRemembered } from '../../lib/use-remembered.ts'
import { creditForecast, type Forecast, upToNow } from '../credits/credit-outlook.ts'
import { creditHistoryQuery, creditsQuery } from '../credits/queries.ts'
import { currentSubscription } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'

/** Credits over time. */
export interface Course {
  days: CreditHistory['days']
  forecast: Forecast | null
}

/** Credits by day with the forecast; null if there are none to show, undefined until that is known. */
export function useCourse(): Course | null | undefined {
  const credits = useQuery(creditsQuery)
  const history = useQuery(creditHistoryQuery)
  const subscription = useQuery(subscriptionQuery)
  const now = useNow(60_000)
  const [left, past] = [credits.data, history.data]
  const isFailed = (credits.isError && !left) || (history.isError && !past)
  const isKnown = left && past && (subscription.data || subscription.isError)
  const days = left && past && upToNow(past, left.remaining)
  // Before the first call it is a flat line.
  const isShown = isKnown && !left.unlimited && days?.some(({ spent }) => spent > 0)
  const place = useRemembered('course', isFailed ? false : isKnown ? Boolean(isShown) : undefined, true)
  if (!place) return null
  if (!isShown || !days) return undefined
  const { remaining } = left
  const plan = currentSubscription(subscription.data)
  const renewing = plan && { included: plan.plan.credits_included, renewsAtSeconds: plan.current_period_end }
  return { days, forecast: creditForecast({ days, remaining, plan: renewing, now }) }
}
