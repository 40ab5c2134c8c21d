type Read = (line: string) => number | null

/** In percent with two decimals; null if a part is missing or the base is 0 or less. */
const percent = (part: number | null, base: number | null): number | null =>
  part === null || base === null || base <= 0 ? null : Math.round((10_000 * part) / base) / 100

/** The sum of the available parts; null if there are none. */
const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)

const margin =
  (line: string) =>
  (read: Read): number | null =>
    percent(read(line), read('revenue'))
const onEquity =
  (line: string) =>
  (read: Read): number | null =>
    percent(read(line), read('total_equity'))

/**
 * The ratios of a statement, in percent, from its lines. Margins: gross profit, operating income, income before tax and
 * net income over revenue. Returns on equity: net income and income before tax over equity at the end of the period.
 * Current ratio: current assets over current liabilities; quick: without inventory; cash: cash, equivalents and
 * short-term investments. A loss gives a negative margin. null if a part is missing, and where revenue, equity or
 * current liabilities are 0 or less (a company that owes more than it has).
 */
export const ratios: Readonly<Record<string, (read: Read) => number | null>> = {
  gross_margin: margin('gross_profit'),
  operating_margin: margin('operating_income'),
  pretax_margin: margin('pretax_income'),
  profit_margin: margin('net_income'),
  return_on_equity: onEquity('net_income'),
  pretax_return_on_equity: onEquity('pretax_income'),
  current_ratio: (read) => percent(read('current_assets'), read('current_liabilities')),
  quick_ratio(read) {
    const assets = read('current_assets')
    return percent(assets === null ? null : assets - (read('inventory') ?? 0), read('current_liabilities'))
  },
  cash_ratio: (read) =>
    percent(sum(read('cash_and_equivalents'), read('short_term_investments')), read('current_liabilities')),
}
