import { seriesTable } from '../dataset.ts'
import { parseTable } from '../rows.ts'

const columns = [
  'nonfarm',
  'private',
  'goods_producing',
  'service_providing',
  'construction',
  'manufacturing',
  'wholesale_trade',
  'retail_trade',
  'utilities',
  'information',
  'financial_activities',
  'government',
]

/** US jobs by sector, monthly, 2006 to 2015. */
export const employment = seriesTable({
  id: 'us-employment',
  name: 'US payroll employment by sector',
  frequency: 'monthly',
  series: columns.map((column) => ({
    id: `US.JOBS.${column.toUpperCase()}`,
    column,
    name: `US payroll employment: ${column.replaceAll('_', ' ')}, seasonally adjusted`,
    unit: 'Thousands of jobs',
    aliases: column === 'nonfarm' ? ['PAYEMS', 'NFP'] : [],
  })),
  notes: [{ text: 'Historical sample: does not include later revisions by the Bureau.' }],
  sources: [{ package: 'vega', path: 'data/us-employment.csv', publisher: 'US Bureau of Labor Statistics' }],
  read: ([text]) => parseTable(text!, ',').map((row) => [row.month!, ...columns.map((column) => Number(row[column]))]),
})
