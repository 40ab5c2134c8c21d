import type { MarketData } from '../../server/features/market-data/market-data.ts'
import { marketDataTools } from '../../server/features/market-data/tools.ts'
import { basicTools } from '../../server/features/tools/basic/basic-tools.ts'
import type { Table, Tool } from '../../server/features/tools/define-tool.ts'
import { priceText } from '../../server/features/tools/listing/price-text.ts'
import { type RegisteredTool, registerTool } from '../../server/features/tools/register-tool.ts'
import { getUsage } from '../../server/features/usage/get-usage.ts'
import { exampleAnswer } from './example-answer.ts'
import type { SourcePage } from './site-page.ts'
import { endpointOf, referencePath, toolPage } from './tool-page.ts'

/** Every tool of the product as REST and MCP list it. The number 0, used only in usage rows, does not matter here. */
export const documentedTools = (): RegisteredTool[] =>
  [...marketDataTools, getUsage, ...basicTools].map((tool) => registerTool(tool, 0))

const GROUP = 'API reference'

/** The list of all tools, then one page for each, with a real answer. */
export async function referencePages(entries: RegisteredTool[], market: MarketData): Promise<SourcePage[]> {
  const pages = await Promise.all(
    entries.map(async (entry) => {
      const { tool } = entry
      const description = firstSentence(tool.description)
      return toolPage(entry, {
        group: GROUP,
        names: otherNames[tool.name],
        description,
        about: withoutPrice(tool.description.slice(description.length).trim()),
        answer: await sampleAnswer(tool, market),
      })
    }),
  )
  return [overview(entries), ...pages]
}

/** What readers call the subject of a tool, where the tool has another word for it. */
const otherNames: Partial<Record<string, string>> = {
  get_bars: 'historical prices, ohlc, ohlcv, candles',
  get_quote: 'current price, stock price, latest price',
  get_financials: 'income statement, balance sheet, cash flow, earnings, revenue',
  get_fx_rates: 'exchange rates, forex, fx',
  convert_currency: 'exchange rate, currency converter',
  get_economic_series: 'inflation, interest rates, cpi, oil price, time series',
  get_market_calendar: 'trading hours, holidays',
  compute_indicator: 'sma, rsi, macd, moving average',
  search_symbols: 'search, lookup, ticker, isin',
}

/** Agents read the price in the description; a page shows it separately. */
const withoutPrice = (text: string) => text.replace(/(^| )(Free|\d+ credits?\b[^.]*)\.$/, '')

const firstSentence = (text: string) => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text

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

/** The section with the response to a tool's example. */
export async function sampleAnswer(tool: Tool, market: MarketData): Promise<string[]> {
  const output = await exampleAnswer(tool, market)
  if (!output || !tool.rest) return []
  const body = tool.kind === 'table' ? restTable(output as Table) : { data: output, meta: {}, next_cursor: null }
  return [
    '## Response',
    tool.kind === 'table'
      ? 'The response to the request above on the demonstration data, shortened to the first rows.'
      : 'The response to the request above.',
    `\`\`\`json\n${compactJson(body)}\n\`\`\``,
    'The headers show the cost: `X-Credits-Charged`, `X-Credits-Remaining`, `X-Receipt-Id`.',
  ]
}

const restTable = ({ columns, rows, meta, next_cursor }: Table) => ({
  data: rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!, value]))),
  meta,
  next_cursor,
})

/** JSON with line breaks at two levels: each row and each fact has its own line. */
function compactJson(body: { data: unknown; meta: unknown; next_cursor: unknown }): string {
  const lines = (value: unknown): string => {
    if (Array.isArray(value))
      return value.length === 0 ? '[]' : `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
    const entries = Object.entries((value ?? {}) as object)
    return entries.length === 0
      ? '{}'
      : `{\n${entries.map(([name, item]) => `    ${JSON.stringify(name)}: ${JSON.stringify(item)}`).join(',\n')}\n  }`
  }
  return `{\n  "data": ${lines(body.data)},\n  "meta": ${lines(body.meta)},\n  "next_cursor": ${JSON.stringify(body.next_cursor)}\n}`
}
