import type { CustomerState } from '#contract/operator/customers.ts'
import type { Data } from '../../lib/api.ts'
import { read } from '../../lib/read.ts'

/** The customer as lists and the pages of the console know them. */
export interface ActCustomer {
  /** The account's public id. */
  id: string
  name: string
  owner_email: string | null
  state: CustomerState
  suspended_at?: string | null
  deletion_due_at?: string | null
}

export interface DialogProps {
  customer: ActCustomer
  onClose: () => void
}

export type ActState = Data<'GET /customers/{id}/acts'>

/** What the forms start from, read anew whenever one opens: their numbers are the effect of the act. */
export const actStateQuery = (id: string) => ({ ...read('GET /customers/{id}/acts', { params: { id } }), staleTime: 0 })
export const refundsQuery = (id: string) => ({
  ...read('GET /customers/{id}/refunds', { params: { id } }),
  staleTime: 0,
})
