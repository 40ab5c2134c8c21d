import { z } from 'zod'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { sampleWarning } from '../bars/bar-warnings.ts'
import { checkOrder } from '../check-order.ts'
import { dayText } from '../dates.ts'
import { findInstrument } from '../find-instrument.ts'
import { pageOf } from '../page.ts'
import { cursorInput, dateInput, symbolInput } from './inputs.ts'

const kinds = ['split', 'dividend'] as const
const MAX_LIMIT = 1000

export const getCorporateActions = defineTool({
  name: 'get_corporate_actions',
  title: 'Splits and dividends',
  description:
    'Splits (new shares for one old share) and cash dividends (per share of the ex-date) of a symbol with their ex-dates, newest first. 1 credit; free if there are none.',
  input: z.strictObject({
    symbol: symbolInput.describe('Symbol or alias'),
    type: z.enum(kinds).optional().describe('Only this kind'),
    from: dateInput.optional().describe('First ex-date'),
    to: dateInput.optional().describe('Last ex-date'),
    limit: z.int().min(1).max(MAX_LIMIT).default(60).describe('Maximum rows'),
    cursor: cursorInput,
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 1 },
  example: { symbol: 'MSFT', type: 'split' },
  errors: ['unknown_symbol', 'cursor_expired'],
  mcp: { presets: ['prices', 'companies'], unlisted: ['limit'] },
  rest: { method: 'GET', path: '/v1/actions/{symbol}', defaults: { limit: 1000 } },
  run(request, { market }): Table {
    const { symbol, type, from, to } = request
    checkOrder(request)
    const { manifest, series, source, datasetVersion } = findInstrument(market, symbol)
    const all: Cell[][] = []
    for (const { time, split, dividend } of series.actions.toReversed()) {
      const date = dayText(time)
      if ((from && date < from) || (to && date > to)) continue
      if (split !== 1 && type !== 'dividend') all.push([date, 'split', split, null])
      if (dividend !== 0 && type !== 'split') all.push([date, 'dividend', dividend, manifest.currency])
    }
    const parameters = { ...request, symbol: manifest.symbol }
    const { rows, counts, warnings: pages, paging } = pageOf(all, parameters, datasetVersion)
    const warnings = [...sampleWarning(manifest), ...pages]
    const paysUnknown = !series.actions.some(({ dividend }) => dividend !== 0)
    if (paysUnknown && manifest.type === 'stock' && type !== 'split')
      warnings.push(`The source of ${manifest.symbol} has no dividend data, so dividends may have been paid.`)
    return {
      columns: ['ex_date', 'type', 'value', 'currency'],
      rows: [...rows],
      meta: {
        symbol: manifest.symbol,
        name: manifest.name,
        source,
        dataset_version: datasetVersion,
        as_of: manifest.last,
        ...counts,
        warnings,
      },
      ...paging,
    }
  },
})
