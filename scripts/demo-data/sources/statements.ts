import { statementLines } from '#server/features/market-data/statement-lines.ts'
import type { TableSource } from '../dataset.ts'

/** Annual statements of 448 US companies, mostly 2012 to 2016. */
export const statements: TableSource = {
  id: 'us-statements',
  name: 'Annual financial statements of 448 US companies',
  dates: 1,
  manifest: { kind: 'statements', currency: 'USD' },
  header: ['symbol', 'period_end', 'fiscal_year', ...statementLines.map(({ name }) => name)],
  notes: [
    {
      text: 'As the source gives them; some lines of earlier years are those restated in a later report. Most fiscal years are 2012 to 2016.',
    },
    { text: 'The source writes 0 where a company reports no such line, so 0 can mean none.' },
  ],
  sources: [{ package: 'grid', path: 'src/nyse-data.ts', publisher: 'not named; figures as filed with the SEC' }],
  read([text]) {
    const names = arrayAfter(text!, 'nyseColumns = ') as string[]
    const rows = arrayAfter(text!, 'nyseData = ') as (string | number | null)[][]
    const cell = (row: (string | number | null)[], name: string) => {
      const index = names.indexOf(name)
      if (index === -1) throw new Error(`no column ${name}`)
      return row[index] ?? null
    }
    return rows.map((row) => [
      cell(row, 'Ticker Symbol'),
      cell(row, 'Period Ending'),
      cell(row, 'For Year'),
      ...statementLines.map(({ source }) => cell(row, source)),
    ])
  },
}

/** The array literal that follows `mark` in a TypeScript file of plain data. */
function arrayAfter(text: string, mark: string): unknown {
  const start = text.indexOf('[', text.indexOf(mark))
  const end = text.indexOf('\n]', start)
  return JSON.parse(text.slice(start, end + 2).replaceAll(/,(\s*\])/g, '$1'))
}
