import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { staleWarnings } from '../dataset-age.ts'
import { dayText, parseDay } from '../dates.ts'
import { sourceOf } from '../market-data.ts'
import { dateInput } from './inputs.ts'
import { currencyInput, lastRate, requireRates, today } from './rate-inputs.ts'

const AMOUNT = /^\d{1,15}(\.\d{1,10})?$/
const DIGITS_OF_OTHERS = 8

export const convertCurrency = defineTool({
  name: 'convert_currency',
  title: 'Convert an amount',
  description:
    'Converts an amount between currencies, gold (XAU), silver (XAG), BTC or ETH at the last rate on or before a date. The result is decimal text, rounded half up to the smallest unit of the target; rate_date is the date of the rate used. 1 credit.',
  input: z.strictObject({
    amount: z
      .string()
      .refine((text) => AMOUNT.test(text), {
        error: 'expected a decimal number as text, such as "1250.50", at most 15 digits before the point',
      })
      .describe('Decimal text such as "1250.50"'),
    from: currencyInput.describe('Currency of the amount, such as EUR'),
    to: currencyInput.describe('Target currency, such as USD'),
    date: dateInput.optional().describe('Default: the last rate'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One row.',
  credits: { kind: 'fixed', credits: 1 },
  example: { amount: '1250.50', from: 'EUR', to: 'USD' },
  errors: ['unknown_symbol', 'not_found'],
  rest: { method: 'GET', path: '/v1/fx/convert' },
  mcp: { presets: ['economy'] },
  run({ amount, from, to, date }, { market }): Table {
    const datasets = requireRates(market, [from, to])
    const found = lastRate(datasets, from, to, date ? parseDay(date) : today())
    if (!found)
      throw new AppError(
        'invalid_parameter',
        `No rate from ${from} to ${to} is available on or before ${date}; the first is of ${datasets.map(({ manifest }) => manifest.first).sort()[0]}.`,
        { param: 'date' },
      )
    const { manifest, datasetVersion } = found.rates
    const digits = market.currencies.get(to)?.digits ?? DIGITS_OF_OTHERS
    const rate = Number(found.rate.toPrecision(10))
    const rateDate = dayText(found.day)
    const warnings = [...manifest.notes.map(({ text }) => text), ...staleWarnings(manifest, Date.now())]
    return {
      columns: ['amount', 'from', 'result', 'to', 'rate', 'rate_date', 'method'],
      rows: [[amount, from, multiply(amount, rate, digits), to, rate, rateDate, found.method]],
      meta: {
        row_count: 1,
        source: sourceOf(manifest),
        dataset_version: datasetVersion,
        as_of: manifest.last,
        warnings,
      },
      next_cursor: null,
    }
  },
})

/** amount x rate in integers of the smallest unit, rounded half up: decimal text has no binary noise. */
export function multiply(amount: string, rate: number, digits: number): string {
  const [a, b] = [decimal(amount), decimal(rate.toFixed(20).replace(/0+$/, ''))]
  const scale = a.scale + b.scale
  let product = a.units * b.units
  if (scale > digits) {
    const divisor = 10n ** BigInt(scale - digits)
    product = (product + divisor / 2n) / divisor
  } else product *= 10n ** BigInt(digits - scale)
  const text = product.toString().padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

function decimal(text: string): { units: bigint; scale: number } {
  const [whole = '0', fraction = ''] = text.split('.')
  return { units: BigInt(whole + fraction), scale: fraction.length }
}
