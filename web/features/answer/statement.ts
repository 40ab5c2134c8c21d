import type { ResultTable } from './read-table.ts'

/** One line of a company's statements over its fiscal periods, oldest first. */
export interface Statement {
  /** The name of the line, such as `revenue`. */
  line: string
  periods: { name: string; end: string; value: number }[]
}

/** The lines that people look for first, one of each statement. */
const firstLines = ['revenue', 'total_assets', 'operating_cash_flow']

/**
 * The first known line of `get_financials`, whose periods are rows or columns; null for other tables, and if no line has a
 * figure.
 */
export function statementOf({ columns, rows }: ResultTable): Statement | null {
  const periods = columns.includes('period_end')
    ? rows.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place]])))
    : columns[0] === 'line'
      ? columns.slice(1).map((end, index) => ({
          period_end: end,
          ...Object.fromEntries(rows.map((row) => [String(row[0]), row[index + 1]])),
        }))
      : []
  const dated = periods
    .filter(({ period_end }) => Number.isFinite(Date.parse(String(period_end))))
    .toSorted((a, b) => String(a.period_end).localeCompare(String(b.period_end)))
  const names = Object.keys(dated[0] ?? {}).filter((name) => !/^(fiscal_|period_)/.test(name))
  const known = (name: string) => dated.filter((one) => typeof (one as Record<string, unknown>)[name] === 'number')
  const line = [...firstLines, ...names].find((name) => known(name).length > 0)
  if (line === undefined) return null
  return {
    line,
    periods: known(line).map((one: Record<string, unknown>) => ({
      name: periodName(one),
      end: String(one.period_end),
      value: one[line] as number,
    })),
  }
}

function periodName({ fiscal_year, fiscal_quarter, period_end }: Record<string, unknown>): string {
  if (typeof fiscal_year !== 'number') return String(period_end)
  return typeof fiscal_quarter === 'number' ? `Q${fiscal_quarter} FY ${fiscal_year}` : `FY ${fiscal_year}`
}
