import type { Knowledge } from '../../mcp/knowledge.ts'
import type { MarketAccess } from '../market-access.ts'
import { complete } from './completion.ts'
import { instructions } from './instructions.ts'
import { listedPrompts, writePrompt } from './prompts.ts'
import { readResource, resources, templates } from './resources.ts'

/** What agents can learn about the market data without calling a tool. */
export function createKnowledge(access: MarketAccess): Knowledge {
  return {
    instructions,
    resources: async (caller) => resources(await access.of(caller, true)),
    templates,
    read: async (uri, caller) => readResource(await access.of(caller, true), uri),
    prompts: listedPrompts,
    prompt: writePrompt,
    complete: async (reference, argument, caller) => complete(await access.of(caller, true), reference, argument),
  }
}
