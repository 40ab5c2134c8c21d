import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import type { PlaygroundEvents } from './events.ts'
import { redeemToken } from './ticket.ts'

const HEARTBEAT_MS = 15_000
/** Then the client reconnects with a new ticket, so that a person without access stops receiving. */
const LIFETIME_MS = 15 * 60_000
const MAX_WAITING_BYTES = 4 * 1024 * 1024

const query = z.object({ token: z.string().max(10_000).default('') })

/** GET /api/playground/stream: server-sent events of one person, opened with a ticket in the URL. */
export function registerStream(app: FastifyInstance, deps: Deps, events: PlaygroundEvents): void {
  const open = new Set<PassThrough>()
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end()
  })
  app.get('/api/playground/stream', async (request, reply) => {
    const { token } = query.parse(request.query)
    if (token === '') throw new AppError('unauthorized')
    const owner = await redeemToken(deps, token)
    const release = deps.limits.enter('playgroundStream', `${owner.userId} ${owner.accountId}`)
    const stream = new PassThrough()
    open.add(stream)
    // Clients that read too slowly are disconnected, and reconnect.
    const hear = (payload: string): void => {
      if (stream.writableLength > MAX_WAITING_BYTES) stream.end()
      else stream.write(`data: ${payload}\n\n`)
    }
    const leave = events.subscribe(owner, hear)
    const heartbeat = setInterval(() => stream.write(': here\n\n'), HEARTBEAT_MS)
    const end = setTimeout(() => stream.end(), LIFETIME_MS)
    stream.on('close', () => {
      leave()
      clearInterval(heartbeat)
      clearTimeout(end)
      open.delete(stream)
      release()
    })
    request.raw.on('close', () => stream.destroy())
    stream.write(': open\n\n')
    return reply
      .headers({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        connection: 'close',
      })
      .send(stream)
  })
}
