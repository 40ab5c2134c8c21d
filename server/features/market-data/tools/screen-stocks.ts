import { z } from 'zod'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { noteWarnings } from '../bars/bar-warnings.ts'
import { operators, screen } from '../companies/screen.ts'
import { parseDay } from '../dates.ts'
import { sourceOf } from '../market-data.ts'
import { pageOf } from '../page.ts'
import { versionOf } from '../series/economic-series.ts'
import { cursorInput, dateInput } from './inputs.ts'

const MAX_FILTERS = 20
const MAX_LIMIT = 500
const value = z.union([z.string().max(100), z.number()])

const NONE = 'This server has no statements.'

export const screenStocks = defineTool({
  name: 'screen_stocks',
  title: 'Stock screener',
  description:
    'US companies whose latest annual statement passes every filter. Fields: sector, industry, exchange, fiscal_year, every line of get_financials (revenue, net_income, eps, total_assets, profit_margin, return_on_equity, current_ratio ...), revenue_growth, net_income_growth (percent), debt_to_equity, free_cash_flow. A wrong field returns all names. meta.total_rows counts all matches. 5 credits; nothing when none match.',
  input: z.strictObject({
    filters: z
      .array(
        z.strictObject({
          field: z.string().max(60),
          op: z.enum(operators),
          value: z.union([z.string().max(100), z.number(), z.array(value).min(1).max(100)]),
        }),
      )
      .min(1)
      .max(MAX_FILTERS)
      .describe('Such as [{"field":"profit_margin","op":"gt","value":20}]'),
    sort: z.string().max(60).default('-revenue').describe('Field to sort by; prefix - for descending'),
    columns: z
      .array(z.string().max(60))
      .min(1)
      .max(30)
      .default(['symbol', 'name', 'sector', 'fiscal_year', 'revenue', 'net_income'])
      .describe('Fields to show'),
    limit: z.int().min(1).max(MAX_LIMIT).default(20).describe('Maximum rows'),
    cursor: cursorInput,
    on: dateInput.optional().describe('Only periods ended by this date, as known today'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 5 },
  example: { filters: [{ field: 'profit_margin', op: 'gt', value: 20 }], limit: 10 },
  rest: { method: 'POST', path: '/v1/screen' },
  mcp: { presets: ['companies'] },
  run(request, { market }): Table {
    const { filters, sort, columns, on } = request
    const day = on ? parseDay(on) : Number.POSITIVE_INFINITY
    const all = screen(market, { filters, sort, columns, on: day })
    const { rows, counts, warnings: pages, paging } = pageOf(all, request, market.version)
    const { manifests } = market.statements
    const named = [...columns, ...filters.map(({ field }) => field)]
    const notes = manifests.length > 0 ? manifests.flatMap((one) => noteWarnings(one, named)) : [NONE]
    const warnings = [...notes, ...pages]
    if (on && rows.length > 0)
      warnings.push(
        `Periods that ended by ${on}, as known today: figures may have been filed or restated after that day.`,
      )
    if (rows.length === 0) warnings.push('No match; loosen a filter. Nothing was charged.')
    return {
      columns,
      rows: [...rows],
      meta: {
        ...counts,
        source: manifests.map(sourceOf).join(', ') || null,
        dataset_version: manifests.map(versionOf).join(', ') || null,
        warnings,
      },
      ...paging,
    }
  },
})
