import { statementLines } from '#server/features/market-data/companies/statement-lines.ts'
import type { TableSource } from '../dataset.ts'

/** The source's ratios are left out: they have no decimals, and losses have the wrong sign. */
const taken = statementLines.filter(({ source }) => source !== null)

/**
 * Statements from 2003 to 2007 under this symbol belong to another company: the current one has been listed since 2013.
 */
const OF_ANOTHER = 'COTY'

/** Annual statements of 447 US companies, mostly 2012 to 2016. */
export const statements: TableSource = {
  id: 'us-statements',
  name: 'Annual financial statements of 447 US companies',
  dates: 1,
  manifest: { kind: 'statements', currency: 'USD' },
  header: ['symbol', 'period_end', 'fiscal_year', ...taken.map(({ name }) => name)],
  notes: [
    {
      text: 'As the source gives them; some lines of earlier years are those restated in a later report. Most fiscal years are 2012 to 2016.',
    },
    {
      text: 'Ratios are computed here from the lines, not taken from the source.',
      columns: statementLines.filter(({ kind }) => kind === 'ratios').map(({ name }) => name),
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
    return rows
      .filter((row) => cell(row, 'Ticker Symbol') !== OF_ANOTHER)
      .map((row) => {
        const end = String(cell(row, 'Period Ending'))
        return [
          cell(row, 'Ticker Symbol'),
          end,
          fiscalYear(end, cell(row, 'For Year')),
          ...taken.map(({ source }) => cell(row, source!)),
        ]
      })
  },
}

/** The given year, unless it is far from the period's end, which means a typo. */
function fiscalYear(end: string, given: string | number | null): number | null {
  const year = Number(end.slice(0, 4))
  if (given !== null && given !== '' && Math.abs(Number(given) - year) <= 1) return Number(given)
  return end.slice(5, 7) === '12' ? year : null
}

/** The array literal after `mark` in a TypeScript file of plain data. */
function arrayAfter(text: string, mark: string): unknown {
  const start = text.indexOf('[', text.indexOf(mark))
  const end = text.indexOf('\n]', start)
  return JSON.parse(text.slice(start, end + 2).replaceAll(/,(\s*\])/g, '$1'))
}
