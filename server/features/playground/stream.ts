import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { hasAccess } from '../account/has-access.ts'
import type { PlaygroundEvents } from './events.ts'
import type { Owner } from './store.ts'
import { redeemToken } from './ticket.ts'

const HEARTBEAT_MS = 15_000
/** Then the client reconnects with a new ticket. */
const LIFETIME_MS = 15 * 60_000
const MAX_WAITING_BYTES = 4 * 1024 * 1024

const query = z.object({ token: z.string().max(10_000).default('') })

/**
 * GET /api/playground/stream: server-sent events of one person, opened with a ticket in the URL. A stream ends when its
 * person loses access to the workspace.
 */
export function registerStream(app: FastifyInstance, deps: Deps, events: PlaygroundEvents): void {
  const open = new Map<PassThrough, Owner>()
  const endAll = (): void => {
    for (const stream of open.keys()) stream.end()
  }
  app.addHook('preClose', async () => endAll())
  endWithoutAccess(deps, open)
  // A change of access could be missed now. Clients reconnect with a new ticket.
  deps.listener.onLost(endAll)
  app.get('/api/playground/stream', async (request, reply) => {
    const { token } = query.parse(request.query)
    if (token === '') throw new AppError('unauthorized')
    const owner = await redeemToken(deps, token)
    const release = deps.limits.enter('playgroundStream', `${owner.userId} ${owner.accountId}`)
    const stream = new PassThrough()
    open.set(stream, owner)
    // Clients that read too slowly are disconnected, and reconnect.
    const hear = (payload: string): void => {
      if (stream.writableEnded) return
      if (stream.writableLength > MAX_WAITING_BYTES) stream.end()
      else stream.write(`data: ${payload}\n\n`)
    }
    const leave = events.subscribe(owner, hear)
    const heartbeat = setInterval(() => stream.writableEnded || stream.write(': here\n\n'), HEARTBEAT_MS)
    const end = setTimeout(() => stream.end(), LIFETIME_MS)
    stream.on('close', () => {
      leave()
      clearInterval(heartbeat)
      clearTimeout(end)
      open.delete(stream)
      release()
    })
    request.raw.on('close', () => stream.destroy())
    // Checked after the stream is registered, so that it sees every change from here on.
    try {
      if (!(await hasAccess(deps, owner))) throw new AppError('unauthorized')
    } catch (error) {
      stream.destroy()
      throw error
    }
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

/** Ends the open streams of a person whose access has ended, or cannot be checked. */
function endWithoutAccess(deps: Deps, open: Map<PassThrough, Owner>): void {
  deps.listener.on('access_changed', (userId) => {
    for (const [stream, owner] of open) {
      if (owner.userId !== userId) continue
      hasAccess(deps, owner).then(
        (stays) => !stays && stream.end(),
        () => stream.end(),
      )
    }
  })
}
