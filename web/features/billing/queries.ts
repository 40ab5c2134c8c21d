import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Preferences } from '#contract/account.ts'
import type { AutoTopup, Credits, Invoice, Plan, Subscription, TopupOffer, UpcomingInvoice } from '#contract/billing.ts'
import type { CreditHistory } from '#contract/usage.ts'
import { api } from '../../lib/api.ts'
import { preferencesQuery } from '../settings/queries.ts'

export const plansQuery = queryOptions({
  queryKey: ['billing', 'plans'],
  queryFn: ({ signal }) => api<{ plans: Plan[] }>('/api/billing/plans', { signal }).then((data) => data.plans),
})

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

/** What a top-up buys, and the rule for automatic ones. */
export const topupQuery = queryOptions({
  queryKey: ['billing', 'topup'],
  queryFn: ({ signal }) => api<TopupOffer>('/api/billing/credits/topup', { signal }),
})

/** What the paid plan will charge next; null when nothing. */
export const upcomingQuery = queryOptions({
  queryKey: ['billing', 'upcoming'],
  queryFn: ({ signal }) =>
    api<{ upcoming: UpcomingInvoice | null }>('/api/billing/upcoming-invoice', { signal }).then(
      (data) => data.upcoming,
    ),
})

/** Credits left at the end of each of the last 32 days, oldest first. */
export const creditHistoryQuery = queryOptions({
  queryKey: ['billing', 'history'],
  queryFn: ({ signal }) => api<CreditHistory>('/api/billing/credits/history', { signal }).then((data) => data.days),
})

/** Download links are good for 15 minutes; the list is asked for again before that. */
const invoiceLinksMs = 10 * 60_000

export const invoicesQuery = queryOptions({
  queryKey: ['billing', 'invoices'],
  queryFn: ({ signal }) => api<Invoice[]>('/billing/invoices', { signal }),
  refetchInterval: invoiceLinksMs,
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

const post = <T>(path: string, json: unknown) => api<T>(path, { method: 'post', json })

/** Opens the checkout of a paid plan and answers its address. */
export const startCheckout = (priceId: string) => post<{ url: string }>('/api/billing/checkout', { priceId })

/** Opens the billing portal and answers its address. */
export const openPortal = (returnUrl: string) => post<{ url: string }>('/api/billing/portal', { returnUrl })

interface Topup {
  packs: number
  saveCard: boolean
  /** The same for a repeat of the same wish, so that two clicks open one page. */
  requestId: string
}

/** Opens the page on which credits are bought and answers its address. */
export const startTopup = (topup: Topup) => post<{ url: string }>('/api/billing/credits/topup', topup)

/** The most that pay-as-you-go may cost in a month, in cents; null: no cap. */
export function useSetSpendCap() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (spendCapCents: number | null) =>
      api<Preferences>('/api/billing/preferences', { method: 'put', json: { spendCapCents } }),
    onSuccess: (preferences) => client.setQueryData(preferencesQuery.queryKey, preferences),
  })
}

export type AutoTopupRule = Pick<AutoTopup, 'enabled' | 'threshold' | 'packs' | 'monthlyCapCents'>

export function useSetAutoTopup() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (rule: AutoTopupRule) => post<{ autoTopup: AutoTopup }>('/api/billing/credits/auto-topup', rule),
    onSuccess: () => client.invalidateQueries({ queryKey: topupQuery.queryKey }),
  })
}
