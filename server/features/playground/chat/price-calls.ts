import type { Client } from '@modelcontextprotocol/client'
import type { ProposedCall } from '#contract/chat.ts'
import type { ToolResult } from '#contract/playground.ts'
import { mostOf } from '../../tools/price.ts'
import type { RegisteredTool } from '../../tools/register-tool.ts'
import type { ToolSnapshot } from '../../tools/registry.ts'
import type { ModelAnswer } from './ask-model.ts'

/** The cost of each call, found by a dry run where it depends on the rows; or its problem, for the model to fix. */
export function priceCalls(client: Client, tools: ToolSnapshot, calls: ModelAnswer['calls']): Promise<ProposedCall[]> {
  return Promise.all(
    calls.map(async ({ id, name, arguments: text }) => {
      const args = readArguments(text)
      const proposed = { id, tool: name.slice(0, 200), arguments: args ?? {}, credits: 0, problem: null }
      const entry = tools.get(name)
      if (!entry || entry.tool.mcp === false)
        return { ...proposed, problem: `There is no tool named ${proposed.tool}.` }
      if (!args) return { ...proposed, problem: 'The arguments are not a JSON object.' }
      return { ...proposed, ...(await priceOf(client, entry, args)) }
    }),
  )
}

async function priceOf(
  client: Client,
  { tool }: RegisteredTool,
  args: Record<string, unknown>,
): Promise<Pick<ProposedCall, 'credits' | 'problem'>> {
  if (tool.kind === 'body') return { credits: mostOf(tool.credits) ?? tool.credits.credits, problem: null }
  const { credits } = tool.credits
  if (credits === 0 || tool.kind !== 'table') return { credits, problem: null }
  const result = (await client.callTool({ name: tool.name, arguments: { ...args, dry_run: true } })) as ToolResult
  if (result.isError) {
    const [block] = result.content
    return { credits: 0, problem: typeof block?.text === 'string' ? block.text : 'The tool refuses these arguments.' }
  }
  const { columns, rows } = result.structuredContent as { columns: string[]; rows: unknown[][] }
  return { credits: Number(rows[0]?.[columns.indexOf('credits')]), problem: null }
}

function readArguments(text: string): Record<string, unknown> | null {
  try {
    // Some endpoints send nothing for a call without arguments.
    const value: unknown = JSON.parse(text.trim() || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
