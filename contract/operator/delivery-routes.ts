import { z } from 'zod'
import { act, anyRole, operatorRoute } from './route.ts'

export const deliveryChannels = ['events', 'webhooks', 'mails', 'jobs'] as const
export type DeliveryChannel = (typeof deliveryChannels)[number]

/** failed: given up; retrying: failed and will be tried again; waiting: not tried yet; done: arrived or applied. */
export const deliveryStates = ['failed', 'retrying', 'waiting', 'done'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Counts end here: 10,001 means more than 10,000. */
export const mostCounted = 10_001

export const delivery = z.object({
  id: z.string(),
  /** Type of the event or webhook, kind of the mail, name of the job. */
  kind: z.string(),
  /** Object of the event, server of the webhook, recipient of the mail. */
  about: z.string().nullable(),
  account_id: z.uuid().nullable(),
  account_name: z.string().nullable(),
  attempts: z.int(),
  error: z.string().nullable(),
  at: z.iso.datetime(),
  /** Null: it is not tried again by itself. */
  next_attempt_at: z.iso.datetime().nullable(),
  /** What an operator can do: send it again as it is, send a new one with a new link, or nothing. */
  again: z.enum(['retry', 'resend']).nullable(),
})

const channel = z.object({ channel: z.enum(deliveryChannels) })

/** What goes out and comes in without a person waiting for it. */
export const deliveryRoutes = {
  summarizeDeliveries: operatorRoute({
    method: 'GET',
    path: '/operator/api/delivery',
    roles: anyRole,
    summary: 'How many deliveries are in each state, by channel',
    status: 200,
    data: z.object({
      channels: z.array(
        z.object({
          channel: z.enum(deliveryChannels),
          counts: z.record(z.enum(deliveryStates), z.int()),
          /** When the oldest that is not done arrived; null: none. */
          oldest_at: z.iso.datetime().nullable(),
        }),
      ),
    }),
    errors: [],
  }),
  listDeliveries: operatorRoute({
    method: 'GET',
    path: '/operator/api/delivery/{channel}',
    roles: anyRole,
    summary: 'The deliveries of a channel in one state, newest first',
    params: channel,
    query: z.object({ state: z.enum(deliveryStates), after: z.string().max(200).optional() }),
    status: 200,
    data: z.object({ deliveries: z.array(delivery), next: z.string().nullable() }),
    errors: ['invalid_parameter'],
  }),
  retryDeliveries: operatorRoute({
    method: 'POST',
    path: '/operator/api/delivery/{channel}/retry',
    roles: ['owner', 'support', 'finance'],
    summary: 'Tries deliveries again now. Each has its effect once, however often it is tried',
    params: channel,
    body: act.extend({ ids: z.array(z.string().min(1).max(100)).min(1).max(100) }),
    status: 200,
    /** `retried`: without those that are gone, or cannot be tried again. 0 for a repeated request. */
    data: z.object({ retried: z.int() }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'],
  }),
  listFailingCalls: operatorRoute({
    method: 'GET',
    path: '/operator/api/failing-calls',
    roles: anyRole,
    summary: 'Calls that brought an error, by tool and cause',
    query: z.object({ hours: z.coerce.number().int().min(1).max(2160).default(24) }),
    status: 200,
    data: z.object({
      failing: z.array(z.object({ tool: z.string(), cause: z.string(), calls: z.int(), last_at: z.iso.datetime() })),
    }),
    errors: ['invalid_parameter'],
  }),
}
