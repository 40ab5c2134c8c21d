import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { connectors } from '../../datasets/connectors/list.ts'
import { connectorsRoot } from '../../datasets/connectors/run-state.ts'
import { changeSchedule, readSchedule } from '../../datasets/connectors/schedule.ts'
import { publishedPlace } from '../../datasets/published-place.ts'
import { versionStore } from '../../datasets/version-store.ts'
import type { OperatorContext } from '../console/context.ts'
import { refusing } from '../console/refuse.ts'
import { runAct } from '../console/run-act.ts'
import { serveOperator } from '../console/serve.ts'
import { listConnectors, listDatasets, showDataset } from './list-datasets.ts'
import { checkUpload, importUpload } from './read-upload.ts'

const routes = operatorRoutes

/** The operator's own data, by the same verbs as `npm run data`. */
export function registerDatasets(app: FastifyInstance, deps: Deps): void {
  serveOperator(app, deps, routes.listDatasets, async () => ({
    datasets: await listDatasets(deps),
    connectors: await listConnectors(deps),
  }))
  serveOperator(app, deps, routes.checkDataset, ({ input: { body } }) => checkUpload(deps, body))

  serveOperator(app, deps, routes.addDataset, async ({ ctx, input: { body } }) => {
    const { manifest, csv, ...given } = body
    const { id, version, rows } = await importUpload(deps, { manifest, csv })
    return { dataset: await publish(ctx, { ...given, id, version, rows }) }
  })

  serveOperator(app, deps, routes.publishDataset, async ({ ctx, input: { params, body } }) => {
    const versions = await versionStore(publishedPlace(deps.config)).versions(params.id)
    if (versions.length === 0) throw new AppError('not_found', 'There is no such dataset.')
    if (!versions.includes(body.version))
      throw new AppError('conflict', `${params.id} has no version ${body.version}. It has: ${versions.join(', ')}.`)
    return { dataset: await publish(ctx, { ...body, id: params.id }) }
  })

  serveOperator(app, deps, routes.scheduleConnector, async ({ ctx, input: { params, body } }) => {
    const { on, contact, ...given } = body
    const { name } = params
    if (!connectors.has(name)) throw new AppError('not_found', 'There is no such connector.')
    await runAct(ctx, { ...given, action: on ? 'data.scheduled' : 'data.unscheduled', target: name }, async () => {
      const before = await readSchedule(connectorsRoot(deps.config))
      await refusing('conflict', () => changeSchedule(deps.config, name, on, contact))
      return { before: { on: name in before }, after: { on, ...(on && contact && { contact }) } }
    })
    return { connector: (await listConnectors(deps)).find((one) => one.name === name)! }
  })
}

const HASH = 8

interface Publishing {
  act_id: string
  reason: string
  id: string
  version: string
  rows?: number
}

/**
 * Serves a version. Versions may be in a bucket, which no transaction waits for: the log comes first, so that nothing is served that it
 * does not have, and a request that failed after it can be repeated.
 */
async function publish(ctx: OperatorContext, { act_id, reason, id, version, rows }: Publishing) {
  const store = versionStore(publishedPlace(ctx.deps.config))
  const before = await store.current(id)
  const isFirst = await runAct(ctx, { act_id, reason, action: 'dataset.published', target: id }, async () => ({
    before: { version: before ?? null },
    after: { version, ...(rows !== undefined && { rows }) },
  }))
  if (!isFirst) {
    // A version ends with the hash of its content: a repeated upload is another version with the same one.
    if (before && (before.slice(-HASH) === version.slice(-HASH) || (await wasFollowed(ctx, act_id))))
      return showDataset(ctx.deps, id, before)
  }
  await refusing('conflict', () => store.publish(id, version))
  return showDataset(ctx.deps, id, version)
}

/** Whether another act has published the same dataset since. */
async function wasFollowed({ deps }: OperatorContext, actId: string): Promise<boolean> {
  const { rows } = await sql<{ followed: boolean }>`
    select exists (select from operator_log o where o.action = l.action and o.target = l.target and o.id > l.id) as followed
    from operator_log l where l.act_id = ${actId}`.execute(deps.db.kysely)
  return rows[0]!.followed
}
