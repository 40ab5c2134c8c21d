import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import type { Lookup } from '../../net/checked-addresses.ts'
import type { PlansOfAccount } from '../market-data/plans-of-account.ts'
import type { Tool } from '../tools/define-tool.ts'
import type { createCallerNames } from './caller-names.ts'
import type { Operation } from './document/operation.ts'
import { withDefs } from './document/references.ts'
import { createDriftCheck, noteDrift } from './drift.ts'
import { callUpstream, type Route } from './request/call-upstream.ts'
import { readCredential } from './request/credential.ts'
import { createUpstreamClient } from './request/upstream-client.ts'
import type { UpstreamVersion } from './store.ts'
import { upstreamTools } from './upstream-tools.ts'

export type OpenDeps = Pick<Deps, 'db' | 'log' | 'metrics' | 'secrets'> & {
  /** Has the credentials that manifests name. */
  env: NodeJS.ProcessEnv
  namesOf: ReturnType<typeof createCallerNames>
  plansOf: PlansOfAccount
  /** Replaces the resolver, for tests. */
  lookup?: Lookup
}

/** The key that signs what an upstream is sent: the same on every server, and another for each upstream. */
export const signingKey = (secrets: Deps['secrets'], id: string): Buffer => secrets.derive(`upstream-signature:${id}`)

/** The tools of a version, with its own connections. Throws an Error when its credential cannot be used. */
export function openVersion(deps: OpenDeps, version: UpstreamVersion): { tools: Tool[]; close: () => Promise<void> } {
  const { db, log, metrics, secrets, env, namesOf, lookup } = deps
  const { id, manifest } = version
  const name = manifest.name ?? id
  const client = createUpstreamClient({
    ...manifest,
    name,
    ...(lookup && { lookup }),
    onFailure(failure) {
      metrics?.upstream(id, 'failed')
      log.warn({ upstream: id, version: version.version, error: failure.message }, 'upstream failed')
    },
  })
  const shared = {
    base: new URL(manifest.base),
    client,
    credential: readCredential(manifest.auth, env),
    signingKey: signingKey(secrets, id),
    requestBytes: manifest.defaults.request_kb * 1024,
    responseHeaders: [...manifest.response_headers, ...priceHeaders(version)],
  }

  const runOf = (operation: Operation): Tool['run'] => {
    const own = manifest.operations[operation.id]
    const plans = own?.plans ?? manifest.defaults.plans
    const report = (problem: string): void => {
      metrics?.upstream(id, 'drift')
      noteDrift(db, id, version.version, operation.id, problem).catch((error: Error) =>
        log.warn({ upstream: id, error: error.message }, 'could not note drift'),
      )
    }
    const route: Route = {
      ...shared,
      operation,
      responseBytes: Math.round((own?.response_mb ?? manifest.defaults.response_mb) * 2 ** 20),
      stream: own?.stream ?? false,
      onJson: createDriftCheck(operation.response && withDefs(operation.response, version.schemas), report),
    }
    return async (input, { caller, requestId, traceparent, idempotencyKey, signal }) => {
      await requirePlan(deps, caller, plans)
      const names = { ...(await namesOf(caller)), request: requestId }
      return callUpstream(route, input, { names, traceparent, idempotencyKey, signal })
    }
  }
  return { tools: upstreamTools(version, runOf), close: client.close }
}

/** Headers that a price is read from have to come through. */
const priceHeaders = ({ manifest, operations }: UpstreamVersion): string[] =>
  operations.flatMap(({ id }) => {
    const price = manifest.operations[id]?.credits ?? manifest.defaults.credits
    return typeof price === 'object' && 'unit' in price && 'header' in price.unit
      ? [price.unit.header.toLowerCase()]
      : []
  })

/** Throws not_entitled for accounts without one of the plans. */
async function requirePlan(
  { plansOf }: OpenDeps,
  caller: Parameters<Tool['run']>[1]['caller'],
  plans: readonly string[],
): Promise<void> {
  if (plans.length === 0) return
  const own = await plansOf(caller.accountId)
  if (!plans.some((plan) => own.has(plan)))
    throw new AppError('not_entitled', `This operation is part of the plans: ${plans.join(', ')}.`)
}
