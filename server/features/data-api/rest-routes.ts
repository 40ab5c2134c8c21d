import type { Deps } from '../../deps.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import type { ToolSnapshot } from '../tools/registry.ts'
import { answerBody } from './answer-body.ts'
import { answerRows, type RestHandler } from './answer-rows.ts'

/** Several parameters in one long segment could be divided in very many ways. */
const MOST_MIXED_LENGTH = 500
const PARAMETER = /\{([^{}/]+)\}/g

export interface RestMatch<T> {
  value: T
  params: Record<string, string>
}

/** The route of a request. If the path exists only with other methods: one of these routes, and the methods that are allowed. Null: no such path. */
export type RestFound<T> = RestMatch<T> | { value: T; allowed: string[] } | null

export interface RestRoute {
  /** The pattern, for logs. */
  path: string
  handler: RestHandler
}

/** Finds the tool of a request below /v1. `segments` are those of the path, decoded; the first is empty, the second `v1`. */
export type FindRoute = (method: string, segments: readonly string[]) => RestFound<RestRoute>

/** Finds routes in an index of the registered tools, which is rebuilt after a change. Each tool's handler is created at its first call. */
export function createRestRoutes(deps: Deps): FindRoute {
  const handlers = new WeakMap<RegisteredTool, RestHandler>()
  const handlerOf = (entry: RegisteredTool): RestHandler => {
    const known = handlers.get(entry)
    if (known) return known
    const made = entry.tool.kind === 'body' ? answerBody(deps, entry) : answerRows(deps, entry)
    const handler = deps.payments?.rest(entry, made) ?? made
    handlers.set(entry, handler)
    return handler
  }
  let index: ReturnType<typeof createIndex> | undefined
  deps.tools.onChange(() => {
    index = undefined
  })
  return (method, segments) => {
    index ??= createIndex(deps.tools.current())
    const found = index(method, segments)
    if (!found) return null
    const entry = found.value
    return { ...found, value: { path: entry.tool.rest!.path, handler: handlerOf(entry) } }
  }
}

/** What is below an upstream's segment is only the upstream's, so that a later route of ours captures none of its paths. */
function createIndex({
  all,
}: ToolSnapshot): (method: string, segments: readonly string[]) => RestFound<RegisteredTool> {
  const matchers = new Map(
    [...Map.groupBy(all, ({ tool }) => tool.upstream?.id)].map(([id, entries]) => [
      id,
      restMatcher(
        entries.flatMap((entry) =>
          entry.tool.rest ? [{ method: entry.tool.rest.method, path: entry.tool.rest.path, value: entry }] : [],
        ),
      ),
    ]),
  )
  return (method, segments) => (matchers.get(segments[2]) ?? matchers.get(undefined))?.(method, segments) ?? null
}

/** One step of the tree: what may follow a segment. Text goes before text with parameters, and that before a parameter alone. */
interface Step<T> {
  texts: Map<string, Step<T>>
  mixed: { pattern: RegExp; step: Step<T> }[]
  any: Step<T> | undefined
  /** By method. The names are those of the values on the way, in order. */
  routes: Map<string, { value: T; names: string[] }>
}

/**
 * Finds the route of a path among patterns such as `/v1/bars/{symbol}` and `/v1/acme/{id}.json`. The time depends on the path, not on the
 * number of routes. A parameter is never empty, and never more than one segment.
 */
export function restMatcher<T>(
  routes: readonly { method: string; path: string; value: T }[],
): (method: string, segments: readonly string[]) => RestFound<T> {
  const root = newStep<T>()
  for (const { method, path, value } of routes) {
    let step = root
    const names: string[] = []
    for (const segment of path.split('/')) step = stepTo(step, segment, names)
    if (!step.routes.has(method)) step.routes.set(method, { value, names })
  }
  return (method, segments) => {
    const allowed = new Map<string, T>()
    const values: string[] = []
    const found = walk(root, segments, 0, method, values, allowed)
    const [other] = allowed
    if (!found) return other ? { value: other[1], allowed: [...allowed.keys()] } : null
    const params: Record<string, string> = {}
    for (const [at, name] of found.names.entries()) params[name] = values[at]!
    return { value: found.value, params }
  }
}

const newStep = <T>(): Step<T> => ({ texts: new Map(), mixed: [], any: undefined, routes: new Map() })

function stepTo<T>(step: Step<T>, segment: string, names: string[]): Step<T> {
  const found = [...segment.matchAll(PARAMETER)].map((match) => match[1]!)
  names.push(...found)
  if (found.length === 0) {
    const next = step.texts.get(segment) ?? newStep<T>()
    step.texts.set(segment, next)
    return next
  }
  if (segment === `{${found[0]}}`) {
    step.any ??= newStep<T>()
    return step.any
  }
  const between = segment.split(/\{[^{}/]+\}/).map((text) => text.replaceAll(/\W/g, '\\$&'))
  const source = `^${between.join('(.+?)')}$`
  const known = step.mixed.find(({ pattern }) => pattern.source === source)
  if (known) return known.step
  const next = newStep<T>()
  step.mixed.push({ pattern: new RegExp(source, 's'), step: next })
  return next
}

/** Leaves the values of the parameters on the way in `values`. Collects the methods of the routes with this path. */
function walk<T>(
  step: Step<T>,
  segments: readonly string[],
  at: number,
  method: string,
  values: string[],
  allowed: Map<string, T>,
): { value: T; names: string[] } | undefined {
  if (at === segments.length) {
    for (const [one, { value }] of step.routes) allowed.set(one, value)
    return step.routes.get(method)
  }
  const segment = segments[at]!
  const text = step.texts.get(segment)
  const exact = text && walk(text, segments, at + 1, method, values, allowed)
  if (exact) return exact
  if (segment === '') return undefined
  const before = values.length
  for (const { pattern, step: next } of step.mixed) {
    const match = segment.length > MOST_MIXED_LENGTH ? null : pattern.exec(segment)
    if (!match) continue
    values.push(...match.slice(1))
    const found = walk(next, segments, at + 1, method, values, allowed)
    if (found) return found
    values.length = before
  }
  if (!step.any) return undefined
  values.push(segment)
  const found = walk(step.any, segments, at + 1, method, values, allowed)
  if (!found) values.length = before
  return found
}
