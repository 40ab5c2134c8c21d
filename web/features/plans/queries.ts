import { queryOptions } from '@tanstack/react-query'
import { api } from '../../lib/http/api.ts'
import type { Answer } from '../../lib/http/endpoints.ts'

export const plansQuery = queryOptions({
  queryKey: ['billing', 'plans'],
  queryFn: ({ signal }) => api('listPlans', { signal }),
})

/** The account's subscriptions. */
export type SubscriptionAnswer = Answer<'getSubscription'>

export const subscriptionQuery = queryOptions({
  queryKey: ['billing', 'subscription'],
  queryFn: ({ signal }) => api('getSubscription', { signal }),
})
