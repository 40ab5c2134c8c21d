import { readTable, seriesOf } from './read-table.ts'

/** How much a response shows of what a customer gets: 2, a line over time; 1, anything; 0, nothing is known of it. */
export function telling(body: unknown): 0 | 1 | 2 {
  if (typeof body !== 'object' || body === null) return 0
  const table = readTable({ structuredContent: body })
  return table && seriesOf(table) ? 2 : 1
}
