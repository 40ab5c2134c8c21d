import type { MarketData } from '../../server/features/market-data/market-data.ts'
import type { Table, Tool } from '../../server/features/tools/define-tool.ts'
import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { runExample } from './run-example.ts'
import type { SourcePage } from './site-page.ts'
import { toolPage } from './tool-page.ts'

export const GROUP = 'API reference'

/** The page of a tool that comes with the product. */
export function referencePage(entry: RegisteredTool, answer: string[]): SourcePage {
  const { name, description: whole } = entry.tool
  const description = firstSentence(whole)
  return toolPage(entry, {
    group: GROUP,
    names: otherNames[name],
    description,
    about: withoutPrice(whole.slice(description.length).trim()),
    answer,
  })
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

/** The section with the response to a tool's example. */
export async function sampleAnswer(tool: Tool, market: MarketData): Promise<string[]> {
  return answerSection(tool, await runExample(tool, market))
}

/** The section with this output, which was shortened. */
export function answerSection(tool: Tool, output: unknown): string[] {
  if (!output || !tool.rest) return []
  const body = tool.kind === 'table' ? restTable(output as Table) : { data: output, meta: {}, next_cursor: null }
  return [
    '## Response',
    tool.kind === 'table'
      ? 'The response to the request above, shortened to the first rows.'
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

/** With spaces, where a line that is too long for its column breaks, rather than within a date. */
const oneLine = (item: unknown): string =>
  typeof item === 'object' && item !== null && !Array.isArray(item)
    ? `{${Object.entries(item)
        .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
        .join(', ')}}`
    : JSON.stringify(item)

/** JSON with line breaks at two levels: each row and each fact has its own line. */
function compactJson(body: { data: unknown; meta: unknown; next_cursor: unknown }): string {
  const lines = (value: unknown): string => {
    if (Array.isArray(value))
      return value.length === 0 ? '[]' : `[\n${value.map((item) => `    ${oneLine(item)}`).join(',\n')}\n  ]`
    const entries = Object.entries((value ?? {}) as object)
    return entries.length === 0
      ? '{}'
      : `{\n${entries.map(([name, item]) => `    ${JSON.stringify(name)}: ${JSON.stringify(item)}`).join(',\n')}\n  }`
  }
  return `{\n  "data": ${lines(body.data)},\n  "meta": ${lines(body.meta)},\n  "next_cursor": ${JSON.stringify(body.next_cursor)}\n}`
}
