import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { cancelDeletion, readDeletion, requestDeletion } from './deletion.ts'

/** Routes to delete a person's account. */
export function registerDeletion(app: FastifyInstance, deps: Deps): void {
  serve(app, deps, routes.getDeletion, async ({ ctx }) => ({
    deletion: await readDeletion(deps.db.kysely, ctx.actor.userId),
  }))
  serve(app, deps, routes.requestDeletion, async ({ ctx }) => ({ deletion: await requestDeletion(ctx) }))
  serve(app, deps, routes.cancelDeletion, async ({ ctx }) => ({ deletion: await cancelDeletion(ctx) }))
}
