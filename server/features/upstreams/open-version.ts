import type { Tool } from '../tools/define-tool.ts'
import { cachedCall } from './cache/cached-call.ts'
import type { Operation } from './document/operation.ts'
import { withDefs } from './document/references.ts'
import type { OpenApiManifest, OperationSettings } from './manifest.ts'
import { type OpenDeps, type OpenedVersion, openParts } from './open-parts.ts'
import { type Route, runOperation } from './request/call-upstream.ts'
import { createDriftCheck } from './request/compare-answer.ts'
import { readCredential } from './request/credential.ts'
import type { UpstreamVersion } from './store.ts'
import { upstreamTools } from './upstream-tools.ts'

/** The tools of a version, with its own connections. Throws an Error when its credential cannot be used. */
export function openVersion(deps: OpenDeps, version: UpstreamVersion & { manifest: OpenApiManifest }): OpenedVersion {
  const { manifest } = version
  const parts = openParts(deps, version)
  const credential = readCredential(manifest.auth, deps.env)
  const responseHeaders = [...manifest.response_headers, ...priceHeaders(version)]
  const opening = deps.cache.open(version.id)

  const runOf = (operation: Operation, tool: Omit<Tool, 'run'>): Tool['run'] => {
    const { id } = operation
    const own: OperationSettings | undefined = manifest.operations[id]
    const route: Route = {
      ...parts.route,
      credential,
      operation,
      responseHeaders,
      responseBytes: Math.round((own?.response_mb ?? manifest.defaults.response_mb) * 2 ** 20),
      stream: own?.stream ?? false,
      onJson: createDriftCheck(operation.response && withDefs(operation.response, version.schemas), (problem) =>
        parts.report(id, problem),
      ),
    }
    const { requestBytes } = route
    const onFound = () => deps.metrics?.upstream(version.id, 'cached')
    const throughCache =
      tool.cache &&
      cachedCall({
        cache: deps.cache,
        opening,
        operation,
        tool: { ...tool, cache: tool.cache },
        requestBytes,
        onFound,
      })
    return runOperation(route, deps.namesOf, throughCache)
  }
  const { health, close } = parts.route.client
  return { tools: upstreamTools(version, runOf), health, close }
}

/** Headers that a price is read from have to come through. */
const priceHeaders = ({ manifest, operations }: UpstreamVersion): string[] =>
  operations.flatMap(({ id }) => {
    const price = manifest.operations[id]?.credits ?? manifest.defaults.credits
    return typeof price === 'object' && 'unit' in price && 'header' in price.unit
      ? [price.unit.header.toLowerCase()]
      : []
  })
