import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

/** An object and its customer. */
export interface Listed {
  id: string
  customerId: string
}

/** Every subscription, including ended ones. */
export async function* listSubscriptions({ client }: StripeAccess): AsyncGenerator<Listed> {
  for await (const { id, customer } of client.subscriptions.list({ status: 'all', limit: 100 }))
    yield { id, customerId: idOf(customer) }
}

/** Every invoice created since a time. */
export async function* listInvoicesSince({ client }: StripeAccess, since: Date): AsyncGenerator<Listed> {
  const created = { gte: Math.floor(since.getTime() / 1000) }
  for await (const { id, customer } of client.invoices.list({ created, limit: 100 }))
    if (id && customer) yield { id, customerId: idOf(customer) }
}

/** Charges with a refund created since a time. */
export async function* listRefundedChargesSince({ client }: StripeAccess, since: Date): AsyncGenerator<string> {
  const created = { gte: Math.floor(since.getTime() / 1000) }
  for await (const { charge } of client.refunds.list({ created, limit: 100 })) if (charge) yield idOf(charge)
}
