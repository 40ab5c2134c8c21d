import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { type EventHint, readEvent } from '../stripe/read-event.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { keepEvent } from './keep-event.ts'
import { eventsWait, processEvents } from './process-events.ts'

const AGAIN_MS = 1000

/**
 * Receives Stripe's events at /webhooks/stripe: verifies the signature over the raw body, stores the event once,
 * answers 200, and only then applies it, again each second while some wait. A job applies what this leaves.
 */
export async function registerWebhook(parent: FastifyInstance, deps: Deps): Promise<void> {
  let working: Promise<unknown> = Promise.resolve()
  let again: NodeJS.Timeout | undefined
  let closing = false
  const work = async () => {
    await processEvents(deps)
    if (closing || !(await eventsWait(deps.db))) return
    clearTimeout(again)
    again = setTimeout(apply, AGAIN_MS).unref()
  }
  const apply = () => {
    if (closing) return
    working = working
      .then(work)
      .catch((error: Error) => deps.log.error({ error: error.message }, 'Stripe events are left for the next run'))
  }
  await parent.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.addHook('onClose', async () => {
      // What arrives from now on is left for the next start: the database closes after this, and a lease would stay taken.
      closing = true
      clearTimeout(again)
      await working
    })
    app.post('/webhooks/stripe', async (request, reply) => {
      const event = trueEvent(requireStripe(deps), request, deps.log)
      const fresh = await keepEvent(deps.db.kysely, event)
      if (fresh) apply()
      return reply.send({ received: true })
    })
  })
}

/** The request's event, after checking signature and mode. Throws invalid_parameter; the log has the reason. */
function trueEvent(stripe: StripeAccess, { headers, body, id }: FastifyRequest, log: Deps['log']): EventHint {
  try {
    const signature = headers['stripe-signature']
    if (typeof signature !== 'string' || !Buffer.isBuffer(body))
      throw new AppError('invalid_parameter', 'The signature of this event is missing.')
    const event = readEvent(stripe, body, signature)
    // Harmless, because the object is read again in our version, but it shows that the endpoint has another API
    // version.
    if (event.otherVersion !== null)
      log.warn(
        { event: event.id, version: event.otherVersion },
        'a Stripe event has another API version than this server',
      )
    // Test events at a live endpoint, or the reverse, are a setup mistake.
    if (event.live !== (stripe.mode === 'live'))
      throw new AppError('invalid_parameter', "This event's mode (test or live) does not match this server's.")
    return event
  } catch (error) {
    if (error instanceof AppError) log.warn({ requestId: id, reason: error.message }, 'a Stripe event was refused')
    throw error
  }
}
