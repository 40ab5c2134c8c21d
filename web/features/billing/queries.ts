import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Credits, Subscription } from '#contract/billing.ts'
import { api } from '../../lib/api.ts'

/** What the account is subscribed to. */
export interface SubscriptionAnswer {
  subscription: Subscription | null
  subscriptions: Subscription[]
}

export const subscriptionQuery = queryOptions({
  queryKey: ['billing', 'subscription'],
  queryFn: ({ signal }) => api<SubscriptionAnswer>('/api/billing/subscription', { signal }),
})

export const creditsQuery = queryOptions({
  queryKey: ['billing', 'credits'],
  queryFn: ({ signal }) => api<{ credits: Credits }>('/api/billing/credits', { signal }).then((data) => data.credits),
})

/** Redeems the free plan; keys, subscription, plans and credits are read again before it settles. */
export function useRedeemFreePlan() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (priceId?: string) =>
      api<{ alreadySubscribed: boolean }>('/api/billing/subscribe-free-plan', {
        method: 'post',
        json: priceId ? { priceId } : {},
      }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['keys'] }),
        client.invalidateQueries({ queryKey: ['billing'] }),
      ]),
  })
}
