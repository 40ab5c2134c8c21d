import { z } from 'zod'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { dayText } from '../dates.ts'
import { pageOf } from '../page.ts'
import { cursorInput } from './inputs.ts'

const MAX_LIMIT = 1000

export const listSeries = defineTool({
  name: 'list_series',
  title: 'List economic series',
  description: 'Every available economic series, with unit and dates. q filters by id or name. Free.',
  input: z.strictObject({
    query: z.string().max(100).default('').describe('Words of the id or name'),
    limit: z.int().min(1).max(MAX_LIMIT).default(MAX_LIMIT).describe('Maximum rows'),
    cursor: cursorInput.describe('next_cursor of the previous answer, with the same parameters'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 0 },
  example: { query: 'oil' },
  errors: ['cursor_expired'],
  rest: { method: 'GET', path: '/v1/series', names: { query: 'q' } },
  mcp: false,
  run(request, { market }): Table {
    const { query } = request
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const all = [...new Set(market.series.values())]
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
    const { rows, counts, warnings, paging } = pageOf(all, request, market.version)
    if (all.length === 0) warnings.push('No match. Omit q to list everything.')
    return {
      columns: ['id', 'name', 'unit', 'frequency', 'first_date', 'last_date'],
      rows: [...rows],
      meta: { ...counts, dataset_version: market.version, warnings },
      ...paging,
    }
  },
})
