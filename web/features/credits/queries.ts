import { queryOptions, useMutation } from '@tanstack/react-query'
import type { AutoTopup, Credits } from '#contract/billing.ts'
import { refetching, replacing } from '../../lib/http/after-change.ts'
import { api } from '../../lib/http/api.ts'
import { preferencesQuery } from '../account/queries.ts'

/** What the workspace can spend; `bought` of it are from packs. */
export type Spendable = Credits & { bought: number }

export const creditsQuery = queryOptions({
  queryKey: ['billing', 'credits'],
  queryFn: ({ signal }) =>
    api('getCredits', { signal }).then(({ credits, bought }): Spendable => ({ ...credits, bought })),
})

/** The top-up offer and the automatic top-up settings. */
export const topupQuery = queryOptions({
  queryKey: ['billing', 'topup'],
  queryFn: ({ signal }) => api('getTopupOffer', { signal }),
})

/** Credits left at the end of each of the last 92 days, oldest first. */
export const creditHistoryQuery = queryOptions({
  queryKey: ['billing', 'history'],
  queryFn: ({ signal }) => api('getCreditHistory', { signal }).then((data) => data.days),
})

interface Topup {
  packs: number
  saveCard: boolean
  /** Idempotency key: a repeated click opens the same page. */
  requestId: string
  currency?: string
}

/** Starts a top-up checkout and returns its URL. */
export const startTopup = (topup: Topup) => api('startTopup', { body: topup })

/** The monthly pay-as-you-go spend cap in cents; null: no cap. */
export const useSetSpendCap = () =>
  useMutation({
    mutationFn: (body: { spendCapCents: number | null }) => api('setPreferences', { body }),
    onSuccess: replacing(preferencesQuery),
  })

export type AutoTopupRule = Pick<AutoTopup, 'enabled' | 'threshold' | 'packs' | 'monthlyCapCents'>

export const useSetAutoTopup = () =>
  useMutation({
    mutationFn: (rule: AutoTopupRule) => api('setAutoTopup', { body: rule }),
    onSuccess: refetching(topupQuery),
  })
