import type { Knowledge } from '../../mcp/knowledge.ts'
import type { Caller } from '../../metering/meter.ts'
import type { ToolSnapshot } from '../../tools/registry.ts'
import type { MarketAccess } from '../market-access.ts'
import { assemble, type MarketData } from '../market-data.ts'
import { complete } from './completion.ts'
import { writeInstructions } from './instructions.ts'
import { promptsOf, writePrompt } from './prompts.ts'
import { readResource, resources, templates } from './resources.ts'

const nothing = assemble([])

/** What agents can learn about the market data without calling a tool; as little as is served of the tools that read it. */
export function createKnowledge(
  access: MarketAccess,
  tools: { current: () => Pick<ToolSnapshot, 'all' | 'get'> },
): Knowledge {
  const serves = (name: string): boolean => tools.current().get(name) !== undefined
  const hasTables = (): boolean => tools.current().all.some(({ tool }) => tool.kind === 'table')
  const marketOf = (caller: Caller): MarketData | Promise<MarketData> =>
    hasTables() ? access.of(caller, true) : nothing
  const prompts = () => promptsOf(serves, access.current)
  return {
    instructions: () => writeInstructions(serves, hasTables()),
    resources: async (caller) => resources(await marketOf(caller), serves),
    templates: async (caller) => ((await marketOf(caller)).manifests.length > 0 ? templates : []),
    read: async (uri, caller) => readResource(await marketOf(caller), uri, serves),
    prompts: () => prompts().map(({ write: _, tools: __, ...prompt }) => prompt),
    prompt: (name, given) => writePrompt(prompts(), name, given),
    complete: async (reference, argument, caller) => complete(await marketOf(caller), reference, argument),
  }
}
