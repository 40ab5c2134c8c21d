import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { NotInMemory } from '../../tools/rows/not-in-memory.ts'
import { viewBars } from '../bars/bar-view.ts'
import { checkOrder } from '../check-order.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { barColumnsInput, barInputs, barRows } from './get-bars.ts'
import { cursorInput, symbolInput } from './inputs.ts'
import { findAll, mixedSampleWarning, originOf, type SymbolError } from './many-symbols.ts'

const MAX_SYMBOLS = 50
const MAX_LIMIT = 1000

export const getBarsBatch = defineTool({
  name: 'get_bars_batch',
  title: 'Price history of several symbols',
  description:
    'Bars of up to 50 symbols in one table with a symbol column; per symbol the newest `limit` rows. Symbols without data are listed in meta.errors and do not affect the others; meta.symbols has adjustment, currency and counts per symbol. 1 credit per 1,000 rows, rounded up.',
  input: z.strictObject({
    symbols: z.array(symbolInput).min(1).max(MAX_SYMBOLS).describe('Symbols or aliases'),
    ...barInputs,
    columns: barColumnsInput.describe('Columns, after symbol'),
    limit: z.int().min(1).max(MAX_LIMIT).default(252).describe('Maximum rows per symbol; the newest are kept'),
    cursor: cursorInput.describe('next_cursor of the previous answer, with the same parameters: returns earlier rows'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'rows', credits: 1, perRows: 1000 },
  example: { symbols: ['AAPL', 'MSFT'], range: '1mo', columns: ['date', 'close'] },
  errors: ['unknown_symbol', 'cursor_expired'],
  rest: { method: 'GET', path: '/v1/bars' },
  mcp: false,
  run(request, { market }): Table {
    const { symbols, columns, limit, cursor, ...query } = request
    checkOrder(request)
    const errors: SymbolError[] = []
    const rows: Cell[][] = []
    const held: Record<string, unknown>[] = []
    const found = findAll(market, symbols, errors)
    const scope = { datasetVersion: market.version, parameters: { ...request, cursor: undefined } }
    /** Rows of each symbol in previous answers, counted from its newest. */
    const skipped = cursor ? decodeCursor(cursor, scope) : 0
    let more = false
    const views = NotInMemory.forEach(found, (instrument) => {
      try {
        const view = viewBars(instrument, query)
        const end = Math.max(0, view.total - skipped)
        const own = barRows(view.read(Math.max(0, end - limit), end), columns, view.times.text)
        return { view, end, own, none: view.total === 0 ? view.warnings(columns).at(-1)! : null }
      } catch (error) {
        if (error instanceof AppError) return error
        throw error
      }
    })
    for (const [index, one] of views.entries()) {
      const { symbol, currency, last } = found[index]!.manifest
      if (one instanceof AppError) {
        errors.push({ symbol, code: one.code, message: one.message })
        continue
      }
      const { view, end, own, none } = one
      more ||= end > limit
      if (none !== null) errors.push({ symbol, code: 'no_data', message: none })
      else if (own.length > 0)
        held.push({
          symbol,
          adjust: view.adjust,
          currency,
          as_of: last,
          row_count: own.length,
          total_rows: view.total,
        })
      for (const row of own) rows.push([symbol, ...row])
    }
    const warnings = mixedSampleWarning(found)
    if (more) warnings.push(`Some symbols have earlier rows. Continue with next_cursor, or ask for a shorter range.`)
    if (errors.length > 0) warnings.push(`No bars for ${errors.map(({ symbol }) => symbol).join(', ')}; see errors.`)
    return {
      columns: ['symbol', ...columns],
      rows,
      meta: {
        interval: query.interval,
        symbols: held,
        ...originOf(found),
        dataset_version: market.version,
        row_count: rows.length,
        truncated: more,
        errors,
        warnings,
      },
      next_cursor: more ? encodeCursor(scope, skipped + limit) : null,
    }
  },
})
