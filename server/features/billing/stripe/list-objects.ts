import { idOf } from './catalogue.ts'
import type { StripeAccess } from './client.ts'

/** An object and the customer it belongs to. */
export interface Listed {
  id: string
  customerId: string
}

/** Every subscription, ended ones too. */
export async function* listSubscriptions({ client }: StripeAccess): AsyncGenerator<Listed> {
  for await (const { id, customer } of client.subscriptions.list({ status: 'all', limit: 100 }))
    yield { id, customerId: idOf(customer) }
}

/** Every invoice made since a moment. */
export async function* listInvoicesSince({ client }: StripeAccess, since: Date): AsyncGenerator<Listed> {
  const created = { gte: Math.floor(since.getTime() / 1000) }
  for await (const { id, customer } of client.invoices.list({ created, limit: 100 }))
    if (id && customer) yield { id, customerId: idOf(customer) }
}

/** Charges that a refund made since a moment is of. */
export async function* listRefundedChargesSince({ client }: StripeAccess, since: Date): AsyncGenerator<string> {
  const created = { gte: Math.floor(since.getTime() / 1000) }
  for await (const { charge } of client.refunds.list({ created, limit: 100 })) if (charge) yield idOf(charge)
}
