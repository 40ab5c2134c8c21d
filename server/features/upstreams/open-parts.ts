import { createSecretKey } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Lookup } from '../../net/checked-addresses.ts'
import type { Tool } from '../tools/define-tool.ts'
import type { AnswerCache } from './cache/answer-cache.ts'
import { noteDrift } from './drift.ts'
import type { NamesOf } from './request/call-upstream.ts'
import type { UpstreamFailure } from './request/failure.ts'
import { createUpstreamClient, type Health } from './request/upstream-client.ts'
import type { UpstreamVersion } from './store.ts'

export type OpenDeps = Pick<Deps, 'db' | 'log' | 'metrics' | 'secrets'> & {
  /** Has the credentials that manifests name. */
  env: NodeJS.ProcessEnv
  namesOf: NamesOf
  cache: AnswerCache
  /** Hears why a call had no usable response. Its caller reads only that there was none. */
  onFailure?: (failure: UpstreamFailure) => void
  /** Replaces the resolver, for tests. */
  lookup?: Lookup
}

/** A version that can be called. */
export interface OpenedVersion {
  tools: Tool[]
  health: () => Health
  close: () => Promise<void>
}

/** The key that signs what an upstream is sent: the same on every server, and another for each upstream. */
export const signingKey = (secrets: Deps['secrets'], id: string): Buffer => secrets.derive(`upstream-signature:${id}`)

/** What every kind of upstream needs to serve a version. */
export function openParts(deps: OpenDeps, { id, version, manifest }: UpstreamVersion) {
  const { db, log, metrics, secrets, lookup } = deps
  const { defaults } = manifest
  const client = createUpstreamClient({
    ...manifest,
    name: manifest.name ?? id,
    ...(lookup && { lookup }),
    onFailure(failure) {
      deps.onFailure?.(failure)
      metrics?.upstream(id, 'failed')
      log.warn({ upstream: id, version, error: failure.message }, 'upstream failed')
    },
  })
  return {
    route: {
      base: new URL(manifest.base),
      client,
      signingKey: createSecretKey(signingKey(secrets, id)),
      requestBytes: defaults.request_kb * 1024,
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
