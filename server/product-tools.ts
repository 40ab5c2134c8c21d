import { marketDataTools } from './features/market-data/tools.ts'
import { basicTools } from './features/tools/basic/basic-tools.ts'
import type { CodeTool } from './features/tools/define-tool.ts'
import { getUsage } from './features/usage/get-usage.ts'

/** Every tool that the product serves, in the order of its lists. */
export const productTools: CodeTool[] = [...basicTools, ...marketDataTools, getUsage]
