import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import type { Lookup } from '../../net/checked-addresses.ts'
import type { PlansOfAccount } from '../market-data/plans-of-account.ts'
import type { ToolContext } from '../tools/define-tool.ts'
import type { AnswerCache } from './cache/answer-cache.ts'
import type { createCallerNames } from './caller-names.ts'
import { noteDrift } from './drift.ts'
import { settingsOf } from './manifest.ts'
import type { CallerNames } from './request/sign-request.ts'
import { createUpstreamClient } from './request/upstream-client.ts'
import type { UpstreamVersion } from './store.ts'

export type OpenDeps = Pick<Deps, 'db' | 'log' | 'metrics' | 'secrets'> & {
  /** Has the credentials that manifests name. */
  env: NodeJS.ProcessEnv
  namesOf: ReturnType<typeof createCallerNames>
  plansOf: PlansOfAccount
  cache: AnswerCache
  /** Replaces the resolver, for tests. */
  lookup?: Lookup
}

/** The key that signs what an upstream is sent: the same on every server, and another for each upstream. */
export const signingKey = (secrets: Deps['secrets'], id: string): Buffer => secrets.derive(`upstream-signature:${id}`)

/** What every kind of upstream needs to serve a version. */
export function openParts(deps: OpenDeps, { id, version, manifest }: UpstreamVersion) {
  const { db, log, metrics, secrets, namesOf, lookup } = deps
  const { defaults } = manifest
  const client = createUpstreamClient({
    ...manifest,
    name: manifest.name ?? id,
    ...(lookup && { lookup }),
    onFailure(failure) {
      metrics?.upstream(id, 'failed')
      log.warn({ upstream: id, version, error: failure.message }, 'upstream failed')
    },
  })
  return {
    route: {
      base: new URL(manifest.base),
      client,
      signingKey: signingKey(secrets, id),
      requestBytes: defaults.request_kb * 1024,
    },
    /** Whom a call is for. Throws not_entitled for accounts without one of the operation's plans. */
    async enter(operation: string, { caller, requestId }: ToolContext): Promise<CallerNames> {
      await requirePlan(deps, caller, settingsOf(manifest, operation)?.plans ?? defaults.plans)
      return { ...(await namesOf(caller)), request: requestId }
    },
    /** Notes for the operator that an upstream differs from its description. */
    report(operation: string, problem: string): void {
      metrics?.upstream(id, 'drift')
      noteDrift(db, id, version, operation, problem).catch((error: Error) =>
        log.warn({ upstream: id, error: error.message }, 'could not note drift'),
      )
    },
  }
}

async function requirePlan(
  { plansOf }: OpenDeps,
  caller: ToolContext['caller'],
  plans: readonly string[],
): Promise<void> {
  if (plans.length === 0) return
  const own = await plansOf(caller.accountId)
  if (!plans.some((plan) => own.has(plan) || own.has(plan.toLowerCase())))
    throw new AppError('not_entitled', `This operation is part of the plans: ${plans.join(', ')}.`)
}
