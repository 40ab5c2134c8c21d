import type { CreditRule, Tool } from '../tools/define-tool.ts'
import { jsonInput } from '../tools/json-input.ts'
import { cacheTerms } from './cache/cache-terms.ts'
import { isOverMcp } from './choose-operations.ts'
import type { JsonSchema, Operation } from './document/operation.ts'
import { withDefs } from './document/references.ts'
import { createIsAtAny } from './document/templates.ts'
import { settingsOf } from './manifest.ts'
import type { Price } from './manifest-price.ts'
import { createResourceUris, publicUri } from './mcp/resource-uris.ts'
import type { UpstreamVersion } from './store.ts'
import { toolName } from './tool-name.ts'

/** The tools of one version; `runOf` gives each what a call of it does. */
export function upstreamTools(
  version: UpstreamVersion,
  runOf: (operation: Operation, tool: Omit<Tool, 'run'>) => Tool['run'],
): Tool[] {
  const { manifest, operations, schemas } = version
  return operations.map((operation): Tool => {
    const own = settingsOf(manifest, operation.id)
    const { defaults } = manifest
    const holdSeconds = own?.hold_seconds ?? defaults.hold_seconds
    const unsettled = own?.unsettled ?? defaults.unsettled
    const shown = typeof own?.mcp === 'object' ? own.mcp : {}
    const credits = creditRule(own?.credits ?? defaults.credits ?? 0)
    const cache = cacheTerms(manifest, operation, credits)
    const input = jsonInput(requiredFirst(withDefs(operation.input, schemas)))
    const tool: Omit<Tool, 'run'> = {
      name: own?.name ?? toolName(version.id, operation.prompt?.name ?? operation.id),
      title: own?.title ?? shown.title ?? operation.title,
      description: own?.description ?? shown.description ?? operation.description,
      input,
      output: { jsonSchema: withDefs(operation.response ?? {}, schemas) },
      kind: 'body',
      credits,
      ...(cache && { cache }),
      timeoutMs: own?.timeout_ms ?? defaults.timeout_ms,
      ...(own?.stream && { streamMs: own.stream_ms! }),
      ...(holdSeconds !== undefined && { holdSeconds }),
      ...(unsettled !== undefined && { unsettled }),
      charge: own?.charge ?? ('charge' in defaults ? defaults.charge : ['2xx']),
      upstream: {
        id: version.id,
        ...(manifest.name !== undefined && { title: manifest.name }),
        operation: operation.id,
        method: operation.method,
        path: operation.path,
        ...(operation.narrower && { isOther: createIsAtAny(operation.narrower) }),
      },
      plans: own?.plans ?? defaults.plans,
      ...(operation.example && { example: operation.example }),
      ...(operation.responseExample !== undefined && { exampleAnswer: operation.responseExample }),
      errors: ['upstream_failed', 'tool_timeout', 'overloaded', 'not_entitled', 'payload_too_large'],
      rest: restBinding(version.id, operation),
      mcp: isOverMcp(operation, manifest, operations.length)
        ? { ...(operation.mcp && { annotations: operation.mcp.annotations, live: true }) }
        : false,
      ...offerOf(version.id, operation),
    }
    return { ...tool, run: runOf(operation, tool) }
  })
}

/** PostgreSQL keeps no order of names in JSON. */
function requiredFirst(schema: JsonSchema): JsonSchema {
  if (!schema.properties) return schema
  const required = new Set(schema.required as string[] | undefined)
  const entries = Object.entries(schema.properties).toSorted(
    ([a], [b]) => Number(required.has(b)) - Number(required.has(a)),
  )
  return { ...schema, properties: Object.fromEntries(entries) }
}

function offerOf(id: string, { prompt, resources }: Operation): Pick<Tool, 'offer'> {
  if (prompt) return { offer: { kind: 'prompt', arguments: prompt.arguments } }
  if (!resources) return {}
  const { published, withheld } = resources
  const uris = createResourceUris(id, published, withheld)
  const listed = (template: boolean) =>
    published
      .filter((one) => one.template === template)
      .map(({ uri, name, title, description, mimeType }) => ({
        uri: publicUri(id, uri),
        name,
        title,
        description,
        ...(mimeType && { mimeType }),
      }))
  const has = (uri: string) => uris.toOwn(uri) !== undefined
  return { offer: { kind: 'resources', resources: listed(false), templates: listed(true), has } }
}

/** Customers write queries and headers as the upstream's own documentation does, and name path parameters by position only. */
function restBinding(id: string, { method, path, places, body }: Operation): NonNullable<Tool['rest']> {
  const entries = Object.entries(places)
  const inputOf = (name: string) => entries.find(([, place]) => place.in === 'path' && place.name === name)?.[0] ?? name
  const written = ({ in: where, name }: (typeof places)[string]) => (where === 'header' ? name.toLowerCase() : name)
  const isSingle = (name: string) =>
    !Object.hasOwn(places, name) &&
    entries.filter(([input, place]) => input === name || written(place) === name).length === 1
  const names = entries
    .map(([input, place]) => [input, place.in === 'path' ? input : written(place)] as const)
    .filter(([input, name]) => input !== name && isSingle(name))
  return {
    method,
    path: `/v1/${id}${path.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${inputOf(name)}}`)}`,
    names: byName(names),
    places: byName(entries.map(([input, place]) => [input, place.in])),
    ...(body?.whole && { bodyInput: entries.find(([, place]) => place.in === 'body')![0] }),
  }
}

/** Without a prototype: `constructor` may be the name of an input. */
const byName = <T>(entries: (readonly [string, T])[]): Record<string, T> =>
  Object.assign(Object.create(null), Object.fromEntries(entries))

/** The price of a manifest as the registry knows it. */
export function creditRule(price: Price): CreditRule {
  if (typeof price === 'number') return { kind: 'fixed', credits: price }
  if ('rows' in price) {
    const { rows: at, per, credits, most, missing } = price
    return { kind: 'rows', at, per, credits, ...(most && { most }), ...(missing !== undefined && { missing }) }
  }
  if ('kib' in price) return { kind: 'kib', credits: price.kib, most: price.most }
  const { per, credits, most, unit, floor, missing } = price
  const at =
    'header' in unit
      ? { header: unit.header.toLowerCase() }
      : { at: unit.pointer, ...(floor !== undefined && { floor }) }
  return { kind: 'unit', per, credits, most, ...at, ...(missing !== undefined && { missing }) }
}
