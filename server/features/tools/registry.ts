import type { Database } from '../../db/database.ts'
import { checkTool } from './check-tool.ts'
import type { Tool } from './define-tool.ts'
import { type McpTool, type RegisteredTool, registerTool, toMcpTool } from './register-tool.ts'

/** All tools at one moment; frozen. A call reads it once, and ends on the tools that it began with. */
export interface ToolSnapshot {
  /** Grows with each change, in this process. */
  readonly version: number
  /** In the order of the catalog: our own, then those of each supplier, and the examples after all. */
  readonly all: readonly RegisteredTool[]
  readonly get: (name: string) => RegisteredTool | undefined
  /** The tool of a usage row; null for unknown numbers. Retired tools keep their name. */
  readonly nameOf: (id: number) => string | null
  /** The number of a tool, including retired ones; null for an unknown name. */
  readonly idOf: (name: string) => number | null
  /** The same objects on every call, in the same order, so that clients can cache the list. */
  readonly mcpTools: readonly McpTool[]
}

/** The tools of all suppliers: `code`, `upstreams`. */
export interface ToolRegistry {
  current: () => ToolSnapshot
  /**
   * Replaces the tools of one supplier at once. Throws an Error, and changes nothing, for an invalid definition, or a name or path that
   * another tool has. `together` runs in the same moment: nobody sees one change without the other.
   */
  replace: (supplier: string, tools: readonly Tool[], together?: () => void) => Promise<void>
  /** What `replace` would throw for each of these tools. */
  problems: (supplier: string, tools: readonly Tool[]) => { tool: string; problem: string }[]
  /** Calls `listener` after each change. Returns a function that ends this. */
  onChange: (listener: (snapshot: ToolSnapshot) => void) => () => void
}

/** A registry with our own tools. Throws on an invalid definition. */
export async function createToolRegistry(tools: readonly Tool[], db: Database): Promise<ToolRegistry> {
  const suppliers = new Map<string, readonly RegisteredTool[]>()
  const listeners = new Set<(snapshot: ToolSnapshot) => void>()
  const known = new WeakMap<Tool, RegisteredTool>()
  let snapshot = createSnapshot(0, [], new Map())
  let last: Promise<void> = Promise.resolve()

  const othersThan = (supplier: string): RegisteredTool[] =>
    [...suppliers].filter(([name]) => name !== supplier).flatMap(([, entries]) => entries)

  const swap = async (supplier: string, next: readonly Tool[], together?: () => void): Promise<void> => {
    const [first] = problemsOf(next, othersThan(supplier))
    if (first) throw new Error(first.problem)
    const ids = await numberTools(
      next.map(({ name }) => name),
      db,
    )
    const entries = next.map((tool) => {
      const entry = known.get(tool) ?? Object.freeze(registerTool(tool, ids.get(tool.name)!))
      known.set(tool, entry)
      return entry
    })
    together?.()
    suppliers.set(supplier, Object.freeze(entries))
    snapshot = createSnapshot(snapshot.version + 1, [...suppliers.values()].flat(), ids)
    for (const listener of [...listeners]) listener(snapshot)
  }

  const registry: ToolRegistry = Object.freeze({
    current: () => snapshot,
    // One after the other: each is checked against the tools that it will stand beside.
    replace(supplier: string, next: readonly Tool[], together?: () => void) {
      const swapped = last.then(() => swap(supplier, next, together))
      last = swapped.catch(() => {})
      return swapped
    },
    problems: (supplier: string, next: readonly Tool[]) => problemsOf(next, othersThan(supplier)),
    onChange(listener: (snapshot: ToolSnapshot) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
  await registry.replace('code', tools)
  return registry
}

/**
 * Remembers what `build` makes of the newest snapshot: an index or a document that is derived once for each version, and kept by
 * nothing else.
 */
export function perSnapshot<T>(build: (snapshot: ToolSnapshot) => T): (snapshot: ToolSnapshot) => T {
  let of: ToolSnapshot | undefined
  let built: T
  return (snapshot) => {
    if (snapshot === of) return built
    const made = build(snapshot)
    // A call that began before a change does not bring the old version back.
    if (of && snapshot.version < of.version) return made
    built = made
    of = snapshot
    return built
  }
}

function createSnapshot(version: number, unsorted: RegisteredTool[], ids: Map<string, number>): ToolSnapshot {
  const entries = [false, true].flatMap((last) => unsorted.filter(({ tool }) => (tool.listedLast ?? false) === last))
  const byName = new Map(entries.map((entry) => [entry.tool.name, entry]))
  const nameById = new Map([...ids].map(([name, id]) => [id, name]))
  return Object.freeze({
    version,
    all: Object.freeze(entries),
    get: (name: string) => byName.get(name),
    nameOf: (id: number) => nameById.get(id) ?? null,
    idOf: (name: string) => ids.get(name) ?? null,
    mcpTools: Object.freeze(entries.filter(({ tool }) => tool.mcp !== false).map(toMcpTool)),
  })
}

/** Parameters have no names here: two paths that differ only by these are the same. */
const placeOf = ({ rest }: Tool): string | null =>
  rest ? `${rest.method} ${rest.path.replaceAll(/\{[^{}/]+\}/g, '{}')}` : null

/** What is wrong with each of `tools`, were they served beside `others`. */
export function problemsOf(
  tools: readonly Tool[],
  others: readonly RegisteredTool[],
): { tool: string; problem: string }[] {
  const names = new Set(others.map(({ tool }) => tool.name))
  const places = new Map(others.map(({ tool }) => [placeOf(tool), tool.name]))
  places.delete(null)
  return tools.flatMap((tool) => {
    const place = placeOf(tool)
    const same = place === null ? undefined : places.get(place)
    const problem = names.has(tool.name)
      ? `Two tools are named ${tool.name}.`
      : same === undefined
        ? definitionProblem(tool)
        : `The tools ${same} and ${tool.name} have the same path.`
    names.add(tool.name)
    if (place !== null) places.set(place, tool.name)
    return problem === null ? [] : [{ tool: tool.name, problem }]
  })
}

function definitionProblem(tool: Tool): string | null {
  try {
    checkTool(tool)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Numbers of all names ever registered. Instances that start together agree: the first insert of a name wins. */
async function numberTools(names: string[], db: Database): Promise<Map<string, number>> {
  await db.pool.query(
    'insert into tools (name) select name from unnest($1::text[]) name where not exists (select from tools t where t.name = name.name) on conflict do nothing',
    [names],
  )
  const { rows } = await db.pool.query<{ id: number; name: string }>('select id, name from tools')
  return new Map(rows.map(({ id, name }) => [name, id]))
}
