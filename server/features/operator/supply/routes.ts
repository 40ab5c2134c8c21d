import type { FastifyInstance } from 'fastify'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { removeSecret } from '../../upstreams/secrets/remove-secret.ts'
import { setSecret } from '../../upstreams/secrets/set-secret.ts'
import { usesOfSecrets } from '../../upstreams/secrets/uses-of-secrets.ts'
import { refusing } from '../console/refuse.ts'
import { runAct } from '../console/run-act.ts'
import { serveOperator } from '../console/serve.ts'
import { checkUpstream } from './check-upstream.ts'
import { compareDefinitions } from './compare-definitions.ts'
import { listUpstreams, readUpstreamSummary } from './list-upstreams.ts'
import { addChecked, pauseServing, publishStored, remove, resumeServing, undo } from './publish-upstream.ts'
import { showUpstream } from './show-upstream.ts'
import { tryOperation } from './try-operation.ts'

const routes = operatorRoutes

/** Upstreams, and the credentials that they are sent. */
export function registerSupply(app: FastifyInstance, deps: Deps): void {
  const { db, secrets } = deps
  serveOperator(app, deps, routes.listUpstreams, async () => ({ upstreams: await listUpstreams(db) }))
  serveOperator(app, deps, routes.getUpstream, ({ input: { params, query } }) =>
    showUpstream(deps, params.id, query.version),
  )
  serveOperator(app, deps, routes.checkUpstream, ({ input: { body } }) =>
    checkUpstream(deps, body.source, body.manifest),
  )
  serveOperator(app, deps, routes.addUpstream, async ({ ctx, input: { body } }) => {
    const { id, version } = await addChecked(ctx, body)
    return { upstream: await readUpstreamSummary(db, id), version }
  })
  serveOperator(app, deps, routes.publishUpstream, async ({ ctx, input: { params, body } }) => ({
    upstream: await publishStored(ctx, params.id, body.version, body),
  }))
  serveOperator(app, deps, routes.undoUpstream, async ({ ctx, input: { params, body } }) => ({
    upstream: await undo(ctx, params.id, body.version, body),
  }))
  for (const [route, change] of [
    [routes.pauseUpstream, pauseServing],
    [routes.resumeUpstream, resumeServing],
  ] as const)
    serveOperator(app, deps, route, async ({ ctx, input: { params, body } }) => ({
      upstream: await change(ctx, params.id, body),
    }))
  serveOperator(app, deps, routes.removeUpstream, async ({ ctx, input: { params, body } }) => {
    await remove(ctx, params.id, body)
    return { removed: true as const }
  })
  serveOperator(app, deps, routes.tryUpstream, ({ ctx, input: { params, body } }) => tryOperation(ctx, params.id, body))
  serveOperator(app, deps, routes.compareUpstream, ({ input: { params } }) => compareDefinitions(deps, params.id))

  serveOperator(app, deps, routes.listSecrets, async () => {
    const [stored, uses] = await Promise.all([
      db.kysely.selectFrom('upstream_secrets').select(['name', 'created_at', 'changed_at']).orderBy('name').execute(),
      usesOfSecrets(db.kysely),
    ])
    return {
      secrets: stored.map(({ name, created_at, changed_at }) => ({
        name,
        created_at: created_at.toISOString(),
        changed_at: changed_at.toISOString(),
        used_by: uses.filter((use) => use.name === name && use.served).map(({ upstream }) => upstream),
      })),
    }
  })
  serveOperator(app, deps, routes.setSecret, async ({ ctx, input: { body } }) => {
    const { name, value, ...given } = body
    await runAct(ctx, { ...given, action: 'upstream_secret.set', target: name }, async (tx) => {
      await refusing('invalid_parameter', () => setSecret(tx, secrets, name, value))
      return {}
    })
    return { stored: true as const }
  })
  serveOperator(app, deps, routes.removeSecret, async ({ ctx, input: { body } }) => {
    const { name, ...given } = body
    await runAct(ctx, { ...given, action: 'upstream_secret.removed', target: name }, async (tx) => {
      await refusing('conflict', () => removeSecret(tx, name))
      return {}
    })
    return { removed: true as const }
  })
}
