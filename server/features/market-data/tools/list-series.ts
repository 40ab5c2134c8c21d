import { z } from 'zod'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { dayText } from '../dates.ts'

export const listSeries = defineTool({
  name: 'list_series',
  title: 'Economic series held',
  description: 'Every economic series that is held, with unit and dates. q narrows by id or name. Free.',
  input: z.strictObject({ query: z.string().max(100).default('').describe('Words of the id or name') }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 0 },
  example: { query: 'shiller' },
  rest: { method: 'GET', path: '/v1/series', names: { query: 'q' } },
  mcp: false,
  run({ query }, { market }): Table {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const rows = [...new Set(market.series.values())]
      .filter(({ id, name, aliases }) => {
        const text = [id, name, ...aliases].join(' ').toLowerCase()
        return words.every((word) => text.includes(word))
      })
      .map(({ id, name, unit, manifest, times }) => [
        id,
        name,
        unit,
        manifest.frequency,
        dayText(times[0]!),
        dayText(times.at(-1)!),
      ])
    return {
      columns: ['id', 'name', 'unit', 'frequency', 'first_date', 'last_date'],
      rows,
      meta: {
        row_count: rows.length,
        warnings: rows.length > 0 ? [] : ['Nothing matches; leave q out to list everything.'],
      },
      next_cursor: null,
    }
  },
})
