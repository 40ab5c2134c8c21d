import Stripe from 'stripe'
import { AppError } from '../../../http/errors.ts'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

/** What we keep of an event: which object to read. Its content is not used, except the outcome of a dispute. */
export interface EventHint {
  id: string
  type: string
  objectId: string
  /** The customer of the object, if the event names it. */
  customerId: string | null
  dispute: { chargeId: string; status: string } | null
  createdAt: Date
  live: boolean
  /** The API version of the event, if it differs from our SDK's. */
  otherVersion: string | null
}

/**
 * Verifies signature and age (five minutes) of a webhook's raw body. Throws invalid_parameter without saying which
 * check failed.
 */
export function readEvent({ client, webhookSecret }: StripeAccess, body: Buffer, signature: string): EventHint {
  try {
    return hintOf(client.webhooks.constructEvent(body, signature, webhookSecret))
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError)
      throw new AppError('invalid_parameter', 'The signature of this event is not valid.')
    throw error
  }
}

/** Events created since a time, oldest first, to find those that webhooks missed. */
export async function listEventsSince({ client }: StripeAccess, since: Date): Promise<EventHint[]> {
  const found: EventHint[] = []
  const created = { gte: Math.floor(since.getTime() / 1000) }
  for await (const event of client.events.list({ created, limit: 100 })) found.push(hintOf(event))
  return found.reverse()
}

function hintOf(event: Stripe.Event): EventHint {
  const object = event.data.object as { id?: string; object: string; customer?: string | { id: string } | null }
  const customer = object.object === 'customer' ? object.id : object.customer && idOf(object.customer)
  return {
    id: event.id,
    type: event.type,
    objectId: object.id ?? '',
    customerId: customer || null,
    dispute: event.data.object.object === 'dispute' ? disputeOf(event.data.object) : null,
    createdAt: new Date(event.created * 1000),
    live: event.livemode,
    otherVersion: event.api_version === Stripe.API_VERSION ? null : event.api_version,
  }
}

const disputeOf = ({ charge, status }: Stripe.Dispute) => ({ chargeId: idOf(charge), status })
