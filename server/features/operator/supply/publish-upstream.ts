import type { z } from 'zod'
import type { supplyRoutes } from '#contract/operator/supply-routes.ts'
import { AppError } from '../../../http/errors.ts'
import { addVersion } from '../../upstreams/add-version.ts'
import { pause, resume } from '../../upstreams/pause.ts'
import { publishVersion } from '../../upstreams/publish.ts'
import { removeUpstream } from '../../upstreams/remove.ts'
import { rollBack } from '../../upstreams/rollback.ts'
import { changeUpstream, readUpstreams } from '../../upstreams/store.ts'
import type { OperatorContext } from '../console/context.ts'
import { refusing, requireServed } from '../console/refuse.ts'
import { type Act, runAct } from '../console/run-act.ts'
import { prepareChecked } from './check-upstream.ts'
import { readUpstreamSummary } from './list-upstreams.ts'

type AddBody = z.output<typeof supplyRoutes.addUpstream.body>
type Given = Pick<Act, 'act_id' | 'reason'>

/**
 * Stores what was checked as the next version and, unless it is a draft, serves it. Returns its number. Throws conflict when the
 * description or the upstream has changed since the check.
 */
export async function addChecked(ctx: OperatorContext, body: AddBody): Promise<{ id: string; version: number }> {
  const { source, manifest, digest, newest, draft, ...given } = body
  const prepared = await prepareChecked(ctx.deps, source, manifest, digest)
  const { id, operations } = prepared.version
  await runAct(ctx, { ...given, action: draft ? 'upstream.stored' : 'upstream.published', target: id }, (tx) =>
    changeUpstream(tx, id, async () => {
      const [found] = await readUpstreams(tx, id)
      const now = found?.versions[0]?.version ?? null
      if (now !== newest)
        throw new AppError(
          'conflict',
          `Another operator saved version ${now ?? 0} of ${id} after you opened this page. Compare it, then check your version again.`,
        )
      const version = await addVersion(tx, prepared, draft)
      return {
        before: { version: found?.published ?? null },
        after: { version, operations: operations.length, ...(draft && { draft }) },
      }
    }),
  )
  return { id, version: (await readUpstreamSummary(ctx.deps.db, id)).newest }
}

/** Serves a stored version. */
export const publishStored = (ctx: OperatorContext, id: string, version: number, given: Given) =>
  changeState(ctx, id, given, 'upstream.published', (tx) => publishVersion(tx, id, version))

/** Serves the version before `version`. Throws conflict when that is no longer the one that is served. */
export const undo = (ctx: OperatorContext, id: string, version: number, given: Given) =>
  changeState(ctx, id, given, 'upstream.undone', (tx, published) => {
    requireServed(version, published)
    return rollBack(tx, id)
  })

export const pauseServing = (ctx: OperatorContext, id: string, given: Given) =>
  changeState(ctx, id, given, 'upstream.paused', (tx) => pause(tx, id))

export const resumeServing = (ctx: OperatorContext, id: string, given: Given) =>
  changeState(ctx, id, given, 'upstream.resumed', (tx) => resume(tx, id))

/** Removes it with its versions. Throws not_found. */
export async function remove(ctx: OperatorContext, id: string, given: Given): Promise<void> {
  await runAct(ctx, { ...given, action: 'upstream.removed', target: id }, async (tx) => {
    const [found] = await readUpstreams(tx, id)
    if (!found) throw new AppError('not_found', 'There is no such upstream.')
    await removeUpstream(tx, id)
    return { before: { version: found.published, versions: found.versions.length } }
  })
}

async function changeState(
  ctx: OperatorContext,
  id: string,
  given: Given,
  action: string,
  work: (tx: Parameters<typeof readUpstreams>[0], published: number | null) => Promise<unknown>,
) {
  const change = async (tx: Parameters<typeof readUpstreams>[0]) => {
    const stateOf = async () => {
      const [found] = await readUpstreams(tx, id)
      if (!found) throw new AppError('not_found', 'There is no such upstream.')
      return { version: found.published, state: found.state }
    }
    const before = await stateOf()
    await refusing('conflict', () => work(tx, before.version))
    return { before, after: await stateOf() }
  }
  await runAct(ctx, { ...given, action, target: id }, (tx) => changeUpstream(tx, id, () => change(tx)))
  return readUpstreamSummary(ctx.deps.db, id)
}
