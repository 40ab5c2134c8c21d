import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { createKey } from './create.ts'
import { getKey } from './get.ts'
import { listKeys } from './list.ts'
import { revokeKey } from './revoke.ts'
import { rotateKey } from './rotate.ts'
import { updateKey } from './update.ts'

export async function registerKeys(app: FastifyInstance, deps: Deps): Promise<void> {
  serve(app, deps, routes.listKeys, async ({ ctx }) => ({ apiKeys: await listKeys(ctx) }))
  serve(app, deps, routes.createKey, async ({ ctx, input }) => ({ apiKey: await createKey(ctx, input.body) }))
  serve(app, deps, routes.getKey, async ({ ctx, input }) => ({ apiKey: await getKey(ctx, input.params.id) }))
  serve(app, deps, routes.updateKey, async ({ ctx, input }) => ({
    apiKey: await updateKey(ctx, input.params.id, input.body),
  }))
  serve(app, deps, routes.rotateKey, async ({ ctx, input }) => ({
    apiKey: await rotateKey(ctx, input.params.id, input.body.graceSeconds),
  }))
  serve(app, deps, routes.deleteKey, async ({ ctx, input }) => {
    await revokeKey(ctx, input.params.id)
    return { id: input.params.id, deleted: true as const }
  })
}
