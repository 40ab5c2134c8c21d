import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { keepEvent } from './keep-event.ts'
import { processEvents } from './process-events.ts'
import { requireStripe } from './require-stripe.ts'
import type { StripeAccess } from './stripe/client.ts'
import { type EventHint, readEvent } from './stripe/read-event.ts'

const MOST_BYTES = 524_288

/**
 * Receives Stripe's events at /webhooks/stripe: verifies the signature over the raw body, keeps the event once, answers
 * 200, and only then applies it. What is not applied now is applied by a job.
 */
export async function registerWebhook(parent: FastifyInstance, deps: Deps): Promise<void> {
  let working: Promise<unknown> = Promise.resolve()
  await parent.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MOST_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    app.addHook('onClose', () => working.then(() => {}))
    app.post('/webhooks/stripe', async (request, reply) => {
      const event = trueEvent(requireStripe(deps), request, deps.log)
      const fresh = await keepEvent(deps.db.kysely, event)
      if (fresh)
        working = working
          .then(() => processEvents(deps))
          .catch((error: Error) => deps.log.error({ error: error.message }, 'Stripe events wait for the next run'))
      return reply.send({ received: true })
    })
  })
}

/** The event of a request, once its signature and mode are right. Throws invalid_parameter, and the log says why. */
function trueEvent(stripe: StripeAccess, { headers, body, id }: FastifyRequest, log: Deps['log']): EventHint {
  try {
    const signature = headers['stripe-signature']
    if (typeof signature !== 'string' || !Buffer.isBuffer(body))
      throw new AppError('invalid_parameter', 'The signature of this event is missing.')
    const event = readEvent(stripe, body, signature)
    // Harmless to us, since the object is read again in our own version; but somebody set the endpoint up differently.
    if (event.otherVersion !== null)
      log.warn(
        { event: event.id, version: event.otherVersion },
        'a Stripe event has another API version than this server',
      )
    // Test events at a live endpoint and the reverse are somebody's mistake, not our money.
    if (event.live !== (stripe.mode === 'live'))
      throw new AppError('invalid_parameter', 'This event is of another mode (test or live) than this server.')
    return event
  } catch (error) {
    if (error instanceof AppError) log.warn({ requestId: id, reason: error.message }, 'a Stripe event was refused')
    throw error
  }
}
