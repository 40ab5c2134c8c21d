import { AppError } from '../../http/errors.ts'
import { type Tool, toolPresets } from '../tools/define-tool.ts'
import type { McpTool, RegisteredTool } from '../tools/register-tool.ts'
import type { ToolSnapshot } from '../tools/registry.ts'

/** The tools that one connection sees: all of them, or those in the URL's `?tools=`. */
export interface ToolSet {
  readonly tools: readonly McpTool[]
  has: (name: string) => boolean
  /** The tool of the registry; undefined if it is not in the set, or is the protocol's own. */
  get: (name: string) => RegisteredTool | undefined
  /** `tools` as JSON, serialized once. */
  readonly json: string
}

/** URLs name few tools, and many name the same ones. */
const MAX_NAMES = 100
const MAX_REMEMBERED = 200

/**
 * Finds the tools of a URL among those of the registry and the protocol's `own`. `undefined` means all. An upstream's id means its
 * tools. Throws invalid_parameter for an unknown name.
 */
export function createToolSets(
  snapshot: Pick<ToolSnapshot, 'get' | 'mcpTools'>,
  own: readonly McpTool[] = [],
): (wanted: string | undefined) => ToolSet {
  const all = [...snapshot.mcpTools, ...own]
  const everything = toolSet(all, snapshot)
  const remembered = new Map<string, ToolSet>()
  return (wanted) => {
    if (wanted === undefined || wanted.trim() === '') return everything
    const known = remembered.get(wanted)
    if (known) return known
    const set = choose(all, snapshot, wanted)
    if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
    remembered.set(wanted, set)
    return set
  }
}

function choose(all: readonly McpTool[], snapshot: Pick<ToolSnapshot, 'get'>, wanted: string): ToolSet {
  const names = wanted.split(',', MAX_NAMES).map((name) => name.trim().toLowerCase())
  const chosen = new Set<McpTool>()
  for (const name of names.filter(Boolean)) {
    const found = all.filter((listed) => {
      const entry = snapshot.get(listed.name)
      return listed.name === name || (entry !== undefined && isMeant(name, entry.tool))
    })
    if (found.length === 0) {
      const presets = toolPresets.filter((preset) =>
        all.some((listed) => presetsOf(snapshot.get(listed.name)?.tool).includes(preset)),
      )
      const help = `Name tools or presets, separated by commas. ${presets.length > 0 ? `Presets: ${presets.join(', ')}. ` : ''}Tools: ${all.map((tool) => tool.name).join(', ')}.`
      throw new AppError('invalid_parameter', `tools: there is no tool or preset with this name. ${help}`, {
        param: 'tools',
      })
    }
    for (const tool of found) chosen.add(tool)
  }
  // In catalog order, whatever the order in the URL, so that lists stay equal.
  return toolSet(
    all.filter((tool) => chosen.has(tool)),
    snapshot,
  )
}

const presetsOf = (tool: Tool | undefined): readonly string[] => (tool?.mcp ? tool.mcp.presets : undefined) ?? []

/** Whether a name in `?tools=` means the tool: its own, that of a preset, or that of its upstream. */
function isMeant(name: string, tool: Tool): boolean {
  return presetsOf(tool).includes(name) || tool.upstream?.id === name
}

function toolSet(tools: readonly McpTool[], snapshot: Pick<ToolSnapshot, 'get'>): ToolSet {
  const names = new Set(tools.map((tool) => tool.name))
  return Object.freeze({
    tools,
    has: (name: string) => names.has(name),
    get: (name: string) => (names.has(name) ? snapshot.get(name) : undefined),
    json: JSON.stringify(tools),
  })
}
