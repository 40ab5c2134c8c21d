import { z } from 'zod'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'

const MAX_LIMIT = 500
const MAX_QUERY_LENGTH = 100

export const searchSymbols = defineTool({
  name: 'search_symbols',
  title: 'Find symbols',
  description:
    'Finds symbols by symbol, alias (^GSPC), exchange-qualified symbol (AAPL.XNAS) or name, best match first, with the dates held. Use it before other calls when a symbol is not certain. An empty query lists everything. Free.',
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_LENGTH).default('').describe('Symbol, alias or part of a name'),
    type: z.enum(['stock', 'index']).optional().describe('Only this kind'),
    limit: z.int().min(1).max(MAX_LIMIT).default(8).describe('Most matches'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 0 },
  rest: { method: 'GET', path: '/v1/symbols', defaults: { limit: 100 } },
  run({ query, type, limit }, { deps: { market } }): Table {
    const matches = market.catalogue
      .search(query)
      .filter(({ instrument }) => !type || instrument.manifest.type === type)
    const rows = matches.slice(0, limit).map(({ instrument: { manifest }, score }) => {
      return [
        manifest.symbol,
        manifest.name,
        manifest.type,
        manifest.mic,
        manifest.currency,
        manifest.first,
        manifest.last,
        score,
      ]
    })
    const warnings: string[] = []
    if (rows.length === 0) warnings.push('Nothing matches. Send an empty query to list everything that is held.')
    if (rows.length < matches.length)
      warnings.push(`The best ${rows.length} of ${matches.length} matches; raise limit for more.`)
    return {
      columns: ['symbol', 'name', 'type', 'exchange', 'currency', 'first_date', 'last_date', 'score'],
      rows,
      meta: { row_count: rows.length, total_rows: matches.length, truncated: rows.length < matches.length, warnings },
      next_cursor: null,
    }
  },
})
