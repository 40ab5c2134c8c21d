import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from '#contract/keys.ts'
import type { Usage } from '#contract/usage.ts'
import { creditsQuery } from '../credits/queries.ts'
import { keysQuery } from '../keys/queries.ts'
import { currentSubscription, namedSubscription } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { usageQuery } from '../usage/queries.ts'
import { useRange } from '../usage/range-choice.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { type Progress, progressOf } from './progress.ts'

interface Start {
  keys: ApiKey[] | undefined
  /** Null until the account is known. */
  progress: Progress | null
  /** Undefined until it is known. */
  isTrialOffered: boolean | undefined
  isPaymentDue: boolean
  /** Whether there is nothing to show: no plan, no credits, no key, no call. Undefined until it is known. */
  isFresh: boolean | undefined
  /** Whether there are requests to count, refused ones too, or why there are none is to be said. */
  isCounted: boolean
  /** Whether the account could not be read. */
  isFailed: boolean
}

/** How far the account is on the way to its first call. */
export function useStart(): Start {
  const { data: keys, isError: keysFailed } = useQuery(keysQuery)
  const { data: subscription, isError: subscriptionFailed } = useQuery(subscriptionQuery)
  const credits = useQuery(creditsQuery)
  const usage = useQuery(usageQuery(useRange()))
  const mayManage = useMayManage()
  const isFailed = (keysFailed && !keys) || (subscriptionFailed && !subscription)
  if (!keys || !subscription) {
    const isTrialOffered = isFailed ? false : undefined
    const isFresh = isFailed ? false : undefined
    return { keys, progress: null, isTrialOffered, isPaymentDue: false, isFresh, isCounted: isFailed, isFailed }
  }
  const current = currentSubscription(subscription)
  const isTrialOffered = mayManage && keys.length === 0 && current === null
  const isPaymentDue = current === null && namedSubscription(subscription)?.status === 'past_due'
  const account = { keys, hasPlan: current !== null, credits: credits.data, calls: usage.data?.totalRequests ?? 0 }
  // Granted credits can be spent only with a key, which comes with the plan.
  const real = progressOf(account)
  const progress = { ...real, ...(isTrialOffered && { plan: false }) }
  const isKnown = (credits.data || credits.isError) && (usage.data || usage.isError)
  const isCounted = real.call || usage.isError || (usage.data !== undefined && hasRequests(usage.data))
  const isFresh = !isCounted && !credits.isError && !real.plan && !real.key && namedSubscription(subscription) === null
  return {
    keys,
    progress: isKnown ? progress : null,
    isTrialOffered,
    isPaymentDue,
    isFresh: isKnown ? isFresh : undefined,
    isCounted,
    isFailed: false,
  }
}

const hasRequests = ({ analytics, refusals }: Usage): boolean =>
  analytics.some(({ data }) => data.length > 0) || (refusals?.length ?? 0) > 0
