import type { Tool } from '../tools/define-tool.ts'
import { estimateTokens } from '../tools/listing/estimate-tokens.ts'
import { registerTool, toMcpTool } from '../tools/register-tool.ts'

/** Models read the whole list at each turn. */
const MOST_LIST_TOKENS = 6_000

/**
 * The MCP tools among `tools` in sets whose lists take fewer tokens than models should read at once, by their names. A tool that is
 * longer than that alone is a set of its own.
 */
function toolSetsOf(tools: readonly Tool[]): { names: string[]; tokens: number }[] {
  const sets: { names: string[]; tokens: number }[] = []
  for (const tool of tools) {
    if (tool.mcp === false) continue
    const tokens = estimateTokens(JSON.stringify(toMcpTool(registerTool(tool, 0)))) + 1
    const last = sets.at(-1)
    if (last && last.tokens + tokens < MOST_LIST_TOKENS) {
      last.names.push(tool.name)
      last.tokens += tokens
    } else sets.push({ names: [tool.name], tokens })
  }
  return sets
}

/** What the operator should know of a list that is too long, a line each. */
export function toolListNotes(tools: readonly Tool[]): string[] {
  const sets = toolSetsOf(tools)
  if (sets.length < 2) return []
  const tokens = sets.reduce((sum, set) => sum + set.tokens, 0)
  const addresses = sets.map(({ names }) => `/mcp?tools=${names.join(',')}`)
  return [
    `The list of these MCP tools takes about ${tokens.toLocaleString('en-US')} tokens. Models read it at each turn, so keep it under ${MOST_LIST_TOKENS.toLocaleString('en-US')}: mark fewer operations with mcp: true, or give customers these sets:`,
    ...addresses,
  ]
}
