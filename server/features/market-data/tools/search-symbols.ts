import { z } from 'zod'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { pageOf } from '../page.ts'
import { searchMarket, searchTypes } from '../search.ts'
import { cursorInput } from './inputs.ts'

const MAX_LIMIT = 500
const MAX_QUERY_LENGTH = 100

export const searchSymbols = defineTool({
  name: 'search_symbols',
  title: 'Find symbols',
  description:
    'Finds stocks, indices, coins and economic series by symbol, alias (^GSPC, AAPL.XNAS) or words of the name, best match first. held lists the available data: bars, statements, series. Use it first when unsure of a symbol. An empty query lists everything. Free.',
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_LENGTH).default('').describe('Symbol, alias or part of a name'),
    type: z.enum(searchTypes).optional().describe('Only this kind'),
    exchange: z.string().trim().toUpperCase().max(4).optional().describe('Only this exchange, a MIC such as XNYS'),
    limit: z.int().min(1).max(MAX_LIMIT).default(8).describe('Maximum matches'),
    cursor: cursorInput,
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 0 },
  example: { query: 'apple' },
  mcp: { presets: ['prices', 'companies'], unlisted: ['exchange'] },
  rest: { method: 'GET', path: '/v1/symbols', names: { query: 'q' }, defaults: { limit: 100 } },
  run(request, { market }): Table {
    const { query, type, exchange } = request
    const all = searchMarket(market, query).filter(
      (match) => (!type || match.type === type) && (!exchange || match.mic === exchange),
    )
    const { rows, counts, warnings, paging } = pageOf(all, request, market.version)
    if (all.length === 0) warnings.push('No match. Send an empty query to list everything.')
    return {
      columns: ['symbol', 'name', 'type', 'exchange', 'currency', 'first_date', 'last_date', 'held', 'score'],
      rows: rows.map((one) => [
        one.symbol,
        one.name,
        one.type,
        one.mic,
        one.currency,
        one.first,
        one.last,
        one.held,
        one.score,
      ]),
      meta: { ...counts, dataset_version: market.version, warnings },
      ...paging,
    }
  },
})
