import type { MarketData } from '../../server/features/market-data/market-data.ts'
import { marketDataTools } from '../../server/features/market-data/tools.ts'
import { basicTools } from '../../server/features/tools/basic/basic-tools.ts'
import { priceText } from '../../server/features/tools/listing/price-text.ts'
import { type RegisteredTool, registerTool } from '../../server/features/tools/register-tool.ts'
import { getUsage } from '../../server/features/usage/get-usage.ts'
import { GROUP, referencePage, sampleAnswer } from './reference-page.ts'
import type { SourcePage } from './site-page.ts'
import { endpointOf, referencePath } from './tool-page.ts'

/** Every tool of the product as REST and MCP list it. The number 0, used only in usage rows, does not matter here. */
export const documentedTools = (): RegisteredTool[] =>
  [...marketDataTools, getUsage, ...basicTools].map((tool) => registerTool(tool, 0))

/** The list of all tools, then one page for each, with a real answer. */
export async function referencePages(entries: RegisteredTool[], market: MarketData): Promise<SourcePage[]> {
  const pages = await Promise.all(
    entries.map(async (entry) => referencePage(entry, await sampleAnswer(entry.tool, market))),
  )
  return [overview(entries), ...pages]
}

function overview(entries: RegisteredTool[]): SourcePage {
  const rows = entries.map(
    ({ tool }) =>
      `| [${tool.title}](${referencePath(tool)}) | ${endpointOf(tool)} | ${tool.mcp === false ? '' : `\`${tool.name}\``} | ${priceText(tool.credits)} |`,
  )
  return {
    path: '/docs/reference',
    title: 'API reference',
    description: 'Every endpoint of the REST API and every tool of the MCP server, with its price.',
    group: GROUP,
    label: 'All endpoints and tools',
    markdown: [
      'An endpoint and its tool share one definition, one price and one usage log. The machine-readable form is [/openapi.json](/openapi.json).',
      '| Name | Endpoint | Tool | Price |\n| --- | --- | --- | --- |\n'.concat(rows.join('\n')),
      // The server fills it in.
      '{{upstream-operations}}',
    ].join('\n\n'),
  }
}
