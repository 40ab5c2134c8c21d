import { z } from 'zod'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { sampleWarning } from '../bar-warnings.ts'
import { dayText } from '../dates.ts'
import { findInstrument } from '../find-instrument.ts'
import { dateInput, symbolInput } from './inputs.ts'

const kinds = ['split', 'dividend'] as const

export const getCorporateActions = defineTool({
  name: 'get_corporate_actions',
  title: 'Splits and dividends',
  description:
    'Splits (new shares for one old share) and cash dividends (per share of the ex-date) of a symbol with their ex-dates, newest first. 1 credit; nothing if there are none.',
  input: z.strictObject({
    symbol: symbolInput.describe('Symbol or alias'),
    type: z.enum(kinds).optional().describe('Only this kind'),
    from: dateInput.optional().describe('First ex-date'),
    to: dateInput.optional().describe('Last ex-date'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 1 },
  example: { symbol: 'MSFT', type: 'split' },
  errors: ['unknown_symbol'],
  rest: { method: 'GET', path: '/v1/actions/{symbol}' },
  run({ symbol, type, from, to }, { market }): Table {
    const { manifest, series, source, datasetVersion } = findInstrument(market, symbol)
    const rows: Cell[][] = []
    for (const { index, split, dividend } of series.actions.toReversed()) {
      const date = dayText(series.times[index]!)
      if ((from && date < from) || (to && date > to)) continue
      if (split !== 1 && type !== 'dividend') rows.push([date, 'split', split, null])
      if (dividend !== 0 && type !== 'split') rows.push([date, 'dividend', dividend, manifest.currency])
    }
    const warnings = sampleWarning(manifest)
    const paysUnknown = !series.actions.some(({ dividend }) => dividend !== 0)
    if (paysUnknown && manifest.type === 'stock' && type !== 'split')
      warnings.push(`The source of ${manifest.symbol} lists no dividends; that need not mean that none were paid.`)
    return {
      columns: ['ex_date', 'type', 'value', 'currency'],
      rows,
      meta: {
        symbol: manifest.symbol,
        name: manifest.name,
        source,
        dataset_version: datasetVersion,
        as_of: manifest.last,
        row_count: rows.length,
        warnings,
      },
      next_cursor: null,
    }
  },
})
