import type { PublishedSymbol } from '../suggestions/suggestions.ts'

/** One line of the list; `command` can be sent if it has no capital placeholder. */
export interface ListedCommand {
  command: string
  about: string
}

/** `{a}` and `{b}` stand for symbols of this server; `needs` is the dataset that an example needs. */
const listed: readonly { about: string; example: string; needs?: string }[] = [
  { about: 'Adds two numbers; also calculate, compute, math', example: 'add N + N' },
  { about: 'Repeats text; also say, repeat', example: 'echo TEXT' },
  { about: 'Server time; any text with time or timestamp', example: 'time' },
  { about: 'This list', example: 'help' },
  { about: 'Currency conversion; also EUR to USD', example: 'convert 100 EUR to USD', needs: 'fx-points' },
  { about: 'Symbols over one period; also vs', example: 'compare {a} and {b} over 5 years' },
  {
    about: 'Price history as a chart; also history of, how did it do this year, since 2022, monthly',
    example: 'chart {a} over 5 years',
  },
  { about: 'Latest price or value, or the one on a given date', example: 'price of {a}' },
  { about: 'Largest companies of a sector by revenue', example: 'top companies in Energy', needs: 'us-statements' },
  { about: 'Symbol search', example: 'search {a}' },
  {
    about: 'Statements of a company; also balance sheet, cash flow, quarterly revenue, net income 2015',
    example: 'financials of IBM',
    needs: 'us-statements',
  },
  {
    about: 'Dividends or splits of a stock; the sample data for MSFT ends in 2016',
    example: 'dividends of MSFT',
    needs: 'msft-daily',
  },
  { about: 'Company profile', example: 'company AAPL', needs: 'us-companies' },
  { about: 'Whether an exchange is open; also nasdaq, london', example: 'is the nyse open' },
  { about: 'The datasets of this server', example: 'datasets' },
  { about: 'Credits used and left', example: 'usage' },
]

const usual = ['OIL.WTI', 'GOLD.USD']

/** What `parseCommand` understands, with symbols of this server, and only examples that `datasets` can answer, if given. */
export function commandList(symbols: readonly PublishedSymbol[], datasets: readonly string[] | null): ListedCommand[] {
  const [a, b] = [0, 1].map((place) => symbols[place]?.symbol ?? usual[place]!)
  return listed
    .filter(({ needs }) => !datasets || needs === undefined || datasets.includes(needs))
    .map(({ example, about }) => ({ command: example.replaceAll('{a}', a!).replaceAll('{b}', b!), about }))
}
