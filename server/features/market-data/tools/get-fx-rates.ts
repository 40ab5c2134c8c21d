import { z } from 'zod'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { checkOrder } from '../check-order.ts'
import { staleWarnings } from '../dataset-age.ts'
import { dayText, parseDay } from '../dates.ts'
import { sourceOf } from '../market-data.ts'
import { pageOf } from '../page.ts'
import { crossRate, type Rates, rateDates } from '../series/rates.ts'
import { cursorInput, dateInput } from './inputs.ts'
import { currencyInput, requireRates, today } from './rate-inputs.ts'

const MAX_QUOTES = 50
const MAX_LIMIT = 10_000

export const getFxRates = defineTool({
  name: 'get_fx_rates',
  title: 'Currency rates',
  description:
    "Rates of one base currency against others, at the last available date on or before `date`, or at every available date from `from` to `to`. Rates not quoted against the data's base currency are computed through it (method cross). 1 credit.",
  input: z.strictObject({
    base: currencyInput.default('USD').describe('Base currency'),
    quotes: z.array(currencyInput).min(1).max(MAX_QUOTES).default(['EUR', 'GBP', 'JPY']).describe('Quote currencies'),
    date: dateInput.optional().describe('Default: the last available date'),
    from: dateInput.optional().describe('First date of a history'),
    to: dateInput.optional().describe('Last date of a history'),
    limit: z.int().min(1).max(MAX_LIMIT).default(1000).describe('Maximum rows'),
    cursor: cursorInput.describe('next_cursor of the previous answer'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 1 },
  example: { base: 'USD', quotes: ['EUR', 'JPY'] },
  errors: ['unknown_symbol', 'not_found'],
  rest: { method: 'GET', path: '/v1/fx' },
  mcp: false,
  run(request, { market }): Table {
    const { base, quotes, date, from, to } = request
    checkOrder(request)
    const rates = chosen(requireRates(market, [base, ...quotes]), request)
    const all: Cell[][] = []
    for (const quote of quotes) {
      const history = from !== undefined || to !== undefined
      const held = [...(rateDates(rates, quote === rates.base ? base : quote) ?? [])]
      const days = history
        ? held.filter((day) => (!from || day >= parseDay(from)) && (!to || day <= parseDay(to)))
        : [date ? parseDay(date) : today()]
      for (const day of days) {
        const found = crossRate(rates, base, quote, day)
        if (found && !(history && found.day !== day))
          all.push([dayText(found.day), base, quote, Number(found.rate.toPrecision(8)), found.method])
      }
    }
    const { manifest, datasetVersion } = rates
    const { rows, counts, warnings: pages, paging } = pageOf(all, request, datasetVersion)
    const warnings = [...manifest.notes.map(({ text }) => text), ...staleWarnings(manifest, Date.now()), ...pages]
    if (rows.length === 0) warnings.push(`Rates are available from ${manifest.first} to ${manifest.last}.`)
    return {
      columns: ['date', 'base', 'quote', 'rate', 'method'],
      rows: [...rows],
      meta: {
        ...counts,
        source: sourceOf(manifest),
        dataset_version: datasetVersion,
        as_of: manifest.last,
        warnings,
      },
      ...paging,
    }
  },
})

/** One dataset for the whole answer: of a day, the one with the newest rates; of a history, the one with the most days. */
function chosen(
  datasets: readonly [Rates, ...Rates[]],
  { base, quotes, date, from, to }: { base: string; quotes: string[]; date?: string | undefined } & Period,
): Rates {
  const score = (rates: Rates): number => {
    if (!from && !to)
      return Math.min(
        ...quotes.map((quote) => crossRate(rates, base, quote, date ? parseDay(date) : today())?.day ?? -Infinity),
      )
    const days = rateDates(rates, quotes[0] === rates.base ? base : quotes[0]!) ?? []
    return days.filter((day) => (!from || day >= parseDay(from)) && (!to || day <= parseDay(to))).length
  }
  return datasets.reduce((best, one) => (score(one) >= score(best) ? one : best))
}

interface Period {
  from?: string | undefined
  to?: string | undefined
}
