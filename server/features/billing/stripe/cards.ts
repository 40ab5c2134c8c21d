import type Stripe from 'stripe'
import type { StripeAccess } from './client.ts'

export interface SavedCard {
  id: string
  /** Identical for the same card wherever it is saved; null for payment methods without one. */
  fingerprint: string | null
}

/** What an automatic charge would use: the customer's default, else the method saved last; null: none is saved. */
export async function fetchSavedCard({ client }: StripeAccess, customerId: string): Promise<SavedCard | null> {
  const customer = await client.customers.retrieve(customerId, { expand: ['invoice_settings.default_payment_method'] })
  if (customer.deleted) return null
  const chosen = customer.invoice_settings.default_payment_method as Stripe.PaymentMethod | null
  const method = chosen ?? (await client.customers.listPaymentMethods(customerId, { limit: 1 })).data[0]
  return method ? { id: method.id, fingerprint: method.card?.fingerprint ?? null } : null
}
