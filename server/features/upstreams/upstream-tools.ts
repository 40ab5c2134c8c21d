import type { CreditRule, Tool } from '../tools/define-tool.ts'
import { jsonInput } from '../tools/json-input.ts'
import { isOverMcp } from './choose-operations.ts'
import type { Operation } from './document/operation.ts'
import { withDefs } from './document/references.ts'
import type { OperationSettings, Price } from './manifest.ts'
import type { UpstreamVersion } from './store.ts'
import { toolName } from './tool-name.ts'

/** The tools of one version; `runOf` gives each what a call of it does. */
export function upstreamTools(version: UpstreamVersion, runOf: (operation: Operation) => Tool['run']): Tool[] {
  const { manifest, operations, schemas } = version
  return operations.map((operation): Tool => {
    const own: OperationSettings | undefined = manifest.operations[operation.id]
    const shown = typeof own?.mcp === 'object' ? own.mcp : {}
    const input = jsonInput(withDefs(operation.input, schemas))
    return {
      name: own?.name ?? toolName(version.id, operation.id),
      title: own?.title ?? shown.title ?? operation.title,
      description: own?.description ?? shown.description ?? operation.description,
      input,
      output: { jsonSchema: withDefs(operation.response ?? {}, schemas) },
      kind: 'body',
      credits: creditRule(own?.credits ?? manifest.defaults.credits ?? 0),
      timeoutMs: own?.timeout_ms ?? manifest.defaults.timeout_ms,
      ...(own?.stream && { streamMs: own.stream_ms! }),
      charge: own?.charge ?? ('charge' in manifest.defaults ? manifest.defaults.charge : ['2xx']),
      upstream: {
        id: version.id,
        ...(manifest.name !== undefined && { title: manifest.name }),
        operation: operation.id,
        method: operation.method,
        path: operation.path,
      },
      plans: own?.plans ?? manifest.defaults.plans,
      ...(operation.example && { example: operation.example }),
      ...(operation.responseExample !== undefined && { exampleAnswer: operation.responseExample }),
      errors: ['upstream_failed', 'tool_timeout', 'overloaded', 'not_entitled', 'payload_too_large'],
      rest: restBinding(version.id, operation),
      mcp: isOverMcp(operation.id, manifest, operations.length)
        ? { ...(operation.mcp && { annotations: operation.mcp.annotations }) }
        : false,
      run: runOf(operation),
    }
  })
}

/** Customers write queries and headers as the upstream's own documentation does, and name path parameters by position only. */
function restBinding(id: string, { method, path, places, body }: Operation): NonNullable<Tool['rest']> {
  const entries = Object.entries(places)
  const inputOf = (name: string) => entries.find(([, place]) => place.in === 'path' && place.name === name)?.[0] ?? name
  const written = ({ in: where, name }: (typeof places)[string]) => (where === 'header' ? name.toLowerCase() : name)
  const isSingle = (name: string) =>
    !(name in places) && entries.filter(([input, place]) => input === name || written(place) === name).length === 1
  const names = entries
    .map(([input, place]) => [input, place.in === 'path' ? input : written(place)] as const)
    .filter(([input, name]) => input !== name && isSingle(name))
  return {
    method,
    path: `/v1/${id}${path.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${inputOf(name)}}`)}`,
    names: Object.fromEntries(names),
    places: Object.fromEntries(entries.map(([input, place]) => [input, place.in])),
    ...(body?.whole && { bodyInput: entries.find(([, place]) => place.in === 'body')![0] }),
  }
}

/** The price of a manifest as the registry knows it. */
export function creditRule(price: Price): CreditRule {
  if (typeof price === 'number') return { kind: 'fixed', credits: price }
  if ('rows' in price)
    return {
      kind: 'rows',
      at: price.rows,
      per: price.per,
      credits: price.credits,
      ...(price.most && { most: price.most }),
    }
  if ('kib' in price) return { kind: 'kib', credits: price.kib, most: price.most }
  const { per, credits, most, unit } = price
  const at = 'header' in unit ? { header: unit.header.toLowerCase() } : { at: unit.pointer }
  return { kind: 'unit', per, credits, most, ...at }
}
