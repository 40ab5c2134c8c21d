import { queryOptions, useMutation } from '@tanstack/react-query'
import { refetching } from '../../lib/http/after-change.ts'
import { api } from '../../lib/http/api.ts'

/** The next charge of the paid plan; null if none. */
export const upcomingQuery = queryOptions({
  queryKey: ['billing', 'upcoming'],
  queryFn: ({ signal }) => api('getUpcomingInvoice', { signal }).then((data) => data.upcoming),
})

/** Download links expire after 15 minutes; the list is refetched before that. */
const invoiceLinksMs = 10 * 60_000

export const invoicesQuery = queryOptions({
  queryKey: ['billing', 'invoices'],
  queryFn: ({ signal }) => api('listInvoices', { signal }),
  refetchInterval: invoiceLinksMs,
})

/** Redeems the free plan. Keys, subscription, plans and credits are refetched before it settles. */
export const useRedeemFreePlan = () =>
  useMutation({
    mutationFn: (priceId?: string) => api('subscribeFreePlan', { body: priceId ? { priceId } : {} }),
    onSuccess: refetching({ queryKey: ['keys'] }, { queryKey: ['billing'] }),
  })

/** Creates the first key, where a plan's return page does; null if it has been. */
export const takeFirstKey = () => api('takeFirstKey').then((data) => data.apiKey)

/** Starts checkout for a paid plan and returns its URL. */
export const startCheckout = (priceId: string, currency: string | null) =>
  api('startCheckout', { body: { priceId, ...(currency && { currency }) } })

/** Creates a billing portal session and returns its URL. */
export const openPortal = (returnUrl: string) => api('openPortal', { body: { returnUrl } })
