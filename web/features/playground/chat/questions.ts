/** A question that maps to a tool call. `about` and `example` are shown on the Settings tab. */
interface Question {
  about: string
  example: string
  pattern: RegExp
  call: (found: Record<string, string>) => { tool: string; arguments: Record<string, unknown> }
}

const SYMBOL = '(?<symbol>\\^?[A-Za-z][A-Za-z0-9./=-]{0,14})'
const DAY = '\\d{4}(?:-\\d{2}(?:-\\d{2})?)?'
const end = '\\s*[?.!]*\\s*$'
/** Whole messages only: a question inside a longer text does not match. */
const line = (text: string) => new RegExp(`^\\s*(?:please\\s+)?${text}${end}`, 'i')

export const questions: Question[] = [
  {
    about: 'Last price of a symbol, or its price on a date',
    example: 'price of AAPL',
    pattern: line(
      `(?:what(?:'s| is) the )?(?:price|quote)(?: of| for)?\\s+${SYMBOL}(?:\\s+on\\s+(?<on>\\d{4}-\\d{2}-\\d{2}))?`,
    ),
    call: ({ symbol, on }) => ({ tool: 'get_quote', arguments: { symbols: [upper(symbol)], ...(on && { on }) } }),
  },
  {
    about: 'Price history as a chart',
    example: 'chart MSFT 2010 to 2012',
    pattern: line(
      `(?:chart|plot|draw|history of)\\s+${SYMBOL}(?:\\s+(?:from\\s+)?(?<from>${DAY})(?:\\s*(?:to|until|-)\\s*(?<to>${DAY}))?)?`,
    ),
    call: ({ symbol, from, to }) => ({
      tool: 'get_bars',
      arguments: {
        symbol: upper(symbol),
        interval: from && yearsBetween(from, to) <= 1 ? '1d' : '1w',
        ...(from && { from: firstDay(from) }),
        ...((to ?? from) && { to: lastDay((to ?? from)!) }),
        limit: 500,
      },
    }),
  },
  {
    about: 'Currency conversion',
    example: 'convert 100 EUR to USD',
    pattern: line(
      'convert\\s+(?<amount>\\d+(?:[.,]\\d+)?)\\s*(?<from>[A-Za-z]{3})\\s+(?:to|into|in)\\s+(?<to>[A-Za-z]{3})',
    ),
    call: ({ amount, from, to }) => ({
      tool: 'convert_currency',
      arguments: { amount: amount!.replace(',', '.'), from: upper(from), to: upper(to) },
    }),
  },
  {
    about: 'Symbol search',
    example: 'search apple',
    pattern: line('(?:search|find|look up)\\s+(?:for\\s+)?(?<query>.{1,100}?)'),
    call: ({ query }) => ({ tool: 'search_symbols', arguments: { query } }),
  },
  {
    about: 'Company profile',
    example: 'company AAPL',
    pattern: line(`(?:company|profile of|about)\\s+${SYMBOL}`),
    call: ({ symbol }) => ({ tool: 'get_company', arguments: { symbol: upper(symbol) } }),
  },
  {
    about: 'Return and risk of two symbols, compared',
    example: 'compare AAPL and MSFT',
    pattern: line(`compare\\s+${SYMBOL}\\s+(?:and|with|to|vs\\.?)\\s+${SYMBOL.replace('symbol', 'other')}`),
    call: ({ symbol, other }) => ({ tool: 'summarize_prices', arguments: { symbols: [upper(symbol), upper(other)] } }),
  },
  {
    about: 'Credits used and left',
    example: 'usage',
    pattern: line('(?:usage|credits|how many credits (?:are|have i) left)'),
    call: () => ({ tool: 'get_usage', arguments: {} }),
  },
]

/** The tool call for a question, or null. */
export function matchQuestion(text: string): { tool: string; arguments: Record<string, unknown> } | null {
  for (const { pattern, call } of questions) {
    const found = pattern.exec(text)
    if (found) return call((found.groups ?? {}) as Record<string, string>)
  }
  return null
}

const upper = (text: string | undefined) => (text ?? '').toUpperCase()
const firstDay = (day: string) => `${day}${'-01-01'.slice(0, 10 - day.length)}`
const yearsBetween = (from: string, to: string | undefined) =>
  Number((to ?? from).slice(0, 4)) - Number(from.slice(0, 4))

/** The last day of `2012` or `2012-02`. */
function lastDay(day: string): string {
  if (day.length === 4) return `${day}-12-31`
  if (day.length === 10) return day
  const [year, month] = day.split('-').map(Number)
  return `${day}-${new Date(Date.UTC(year!, month!, 0)).getUTCDate()}`
}
