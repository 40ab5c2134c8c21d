import type { PublishedSymbol } from '../suggestions/suggestions.ts'

/** One line of the list; `command` can be sent if it has no capital placeholder. */
export interface ListedCommand {
  command: string
  about: string
}

/** `{a}` and `{b}` stand for symbols of this server; an example needs the tool, and the dataset `needs`. */
const listed: readonly { about: string; example: string; tool?: string; needs?: string }[] = [
  { about: 'Adds two numbers; also calculate, compute, math', example: 'add N + N', tool: 'add' },
  { about: 'Repeats text; also say, repeat', example: 'echo TEXT', tool: 'echo' },
  { about: 'Server time; any text with time or timestamp', example: 'time', tool: 'timestamp' },
  { about: 'This list', example: 'help' },
  {
    about: 'Currency conversion; also EUR to USD',
    example: 'convert 100 EUR to USD',
    needs: 'fx-points',
    tool: 'convert_currency',
  },
  { about: 'Symbols over one period; also vs', example: 'compare {a} and {b} over 5 years', tool: 'summarize_prices' },
  {
    about: 'Price history as a chart; also history of, how did it do this year, since 2022, monthly',
    example: 'chart {a} over 5 years',
    tool: 'get_bars',
  },
  { about: 'Latest price or value, or the one on a given date', example: 'price of {a}', tool: 'get_quote' },
  {
    about: 'Largest companies of a sector by revenue',
    example: 'top companies in Energy',
    needs: 'us-statements',
    tool: 'screen_stocks',
  },
  { about: 'Symbol search', example: 'search {a}', tool: 'search_symbols' },
  {
    about: 'Statements of a company; also balance sheet, cash flow, quarterly revenue, net income 2015',
    example: 'financials of IBM',
    tool: 'get_financials',
    needs: 'us-statements',
  },
  {
    about: 'Dividends or splits of a stock; the sample data for MSFT ends in 2016',
    example: 'dividends of MSFT',
    tool: 'get_corporate_actions',
    needs: 'msft-daily',
  },
  { about: 'Company profile', example: 'company AAPL', needs: 'us-companies', tool: 'get_company' },
  {
    about: 'Whether an exchange is open; also nasdaq, london',
    example: 'is the nyse open',
    tool: 'get_market_calendar',
  },
  { about: 'The datasets of this server', example: 'datasets', tool: 'list_datasets' },
  { about: 'Credits used and left', example: 'usage', tool: 'get_usage' },
]

const usual = ['OIL.WTI', 'GOLD.USD']

/**
 * What `parseCommand` understands, with symbols of this server, and only examples that `datasets`, if given, and `tools` can
 * answer.
 */
export function commandList(
  symbols: readonly PublishedSymbol[],
  datasets: readonly string[] | null,
  tools: readonly { name: string }[],
): ListedCommand[] {
  const has = (tool: string) => tools.length === 0 || tools.some(({ name }) => name === tool)
  const [a, b] = [0, 1].map((place) => symbols[place]?.symbol ?? usual[place]!)
  return listed
    .filter(({ needs, tool }) => (!datasets || needs === undefined || datasets.includes(needs)) && (!tool || has(tool)))
    .map(({ example, about }) => ({ command: example.replaceAll('{a}', a!).replaceAll('{b}', b!), about }))
}
