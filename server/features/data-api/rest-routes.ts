import type { Deps } from '../../deps.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { perSnapshot, type ToolSnapshot } from '../tools/registry.ts'
import { bodyVerb } from './body-verb.ts'
import { type RestVerb, restVerb } from './rest-answer.ts'
import { type RestFound, restMatcher } from './rest-match.ts'

export interface RestRoute {
  /** The pattern, for logs. */
  path: string
  verb: RestVerb
}

/** Finds the tool of a request below /v1. `segments` are those of the path, decoded; the first is empty, the second `v1`. */
export type FindRoute = (method: string, segments: readonly string[]) => RestFound<RestRoute>

/** The routes of the tools that there are now: an index of each version, and a handler of each tool that was called. */
export function createRestRoutes(deps: Deps): FindRoute {
  const verbs = new WeakMap<RegisteredTool, RestVerb>()
  const verbOf = (entry: RegisteredTool): RestVerb => {
    const verb = verbs.get(entry) ?? (entry.tool.kind === 'body' ? bodyVerb(deps, entry) : restVerb(deps, entry))
    verbs.set(entry, verb)
    return verb
  }
  const indexOf = perSnapshot(createIndex)
  return (method, segments) => {
    const found = indexOf(deps.tools.current())(method, segments)
    if (!found) return null
    const entry = found.value
    return { ...found, value: { path: entry.tool.rest!.path, verb: verbOf(entry) } }
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
