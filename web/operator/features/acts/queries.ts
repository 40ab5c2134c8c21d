import { queryOptions } from '@tanstack/react-query'
import { call, type Data } from '../../lib/api.ts'

/** The customer as the pages of the console know them. */
export interface ActCustomer {
  /** The account's public id. */
  id: string
  name: string
  owner_email: string | null
  suspended_at: string | null
  deletion_due_at: string | null
}

export type ActState = Data<'GET /customers/{id}/acts'>
export type RefundList = Data<'GET /customers/{id}/refunds'>

/** What the forms start from, read anew whenever one opens: their numbers are the effect of the act. */
export const actStateQuery = (id: string) =>
  queryOptions({
    queryKey: ['operator', 'acts', id],
    queryFn: ({ signal }) => call('GET /customers/{id}/acts', { params: { id }, signal }),
    staleTime: 0,
  })

export const refundsQuery = (id: string) =>
  queryOptions({
    queryKey: ['operator', 'refunds', id],
    queryFn: ({ signal }) => call('GET /customers/{id}/refunds', { params: { id }, signal }),
    staleTime: 0,
  })
