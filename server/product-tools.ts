import { marketDataTools } from './features/market-data/tools.ts'
import { basicTools } from './features/tools/basic/basic-tools.ts'
import type { CodeTool } from './features/tools/define-tool.ts'
import { getUsage } from './features/usage/get-usage.ts'

/** The tools that come with the product, by the group that `builtins` in shop.yaml names; null: always served. */
export const toolGroups: { group: string | null; tools: CodeTool[] }[] = [
  { group: 'market-data', tools: marketDataTools },
  { group: null, tools: [getUsage] },
  { group: 'examples', tools: basicTools },
]

/** Every tool that the product serves, in the order of its lists. */
export const productTools: CodeTool[] = toolGroups.flatMap(({ tools }) => tools)
