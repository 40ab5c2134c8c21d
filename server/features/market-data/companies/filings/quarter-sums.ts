import { dayText } from '../../dates.ts'
import type { FiledCompany } from './filed-facts.ts'
import { filedLines } from './filed-lines.ts'
import { type FiledStatement, type FiledValue, filedStatements } from './filed-statements.ts'

/** Filings round each number, most to a million. */
const COARSEST = 1_000_000
const FOUR_QUARTERS_AND_YEAR = 2.5

export interface QuarterSum {
  fiscalYear: number
  line: string
  /** As the annual report has it, and the sum of its quarters, in the reporting currency. */
  year: number
  sum: number
  why: string
}

/** Compares each line that adds up, of each year with four quarters, with their sum; differences beyond rounding, oldest first. */
export function quarterSums(company: FiledCompany): { compared: number; differ: QuarterSum[] } {
  const flows = filedLines.filter(({ kind }) => kind === 'flow').map(({ name }) => name)
  const years = filedStatements(company, 'annual', null, flows).statements
  const quarters = Map.groupBy(
    filedStatements(company, 'quarterly', null, flows).statements,
    ({ fiscalYear }) => fiscalYear,
  )
  let compared = 0
  const differ: QuarterSum[] = []
  for (const { fiscalYear, values } of years.toReversed())
    for (const line of flows) {
      const year = values.get(line)
      const parts = valuesOf(quarters.get(fiscalYear) ?? [], line)
      if (!year || parts.length < 4) continue
      compared += 1
      const sum = parts.reduce((all, { value }) => all + value, 0)
      // A later report can be rounded to millions where the quarters were in thousands.
      const unit = Math.max(roundedTo(year.value), Math.min(...parts.map(({ value }) => roundedTo(value))))
      if (Math.abs(sum - year.value) > FOUR_QUARTERS_AND_YEAR * unit)
        differ.push({ fiscalYear, line, year: year.value, sum, why: why(year, parts) })
    }
  return { compared, differ }
}

const valuesOf = (statements: readonly FiledStatement[], line: string): FiledValue[] =>
  statements.flatMap(({ values }) => values.get(line) ?? [])

/** The power of ten that a value is a multiple of. */
function roundedTo(value: number): number {
  if (value === 0) return COARSEST
  let unit = 1
  while (unit < COARSEST && value % (unit * 10) === 0) unit *= 10
  return unit
}

function why(year: FiledValue, quarters: readonly FiledValue[]): string {
  const filed = ({ filing }: FiledValue) => `${filing.form} of ${dayText(filing.filed)}`
  if (quarters.some(({ derived }) => derived?.includes('before a restatement')))
    return `the year was restated (last in ${filed(year)}), its first nine months never were`
  if (year.restated) return `the year was restated (last in ${filed(year)}), not all of its quarters were`
  const restated = quarters.find((one) => one.restated)
  if (restated) return `a quarter was restated (last in ${filed(restated)}), the year was not`
  const tags = [...new Set(quarters.flatMap(({ tag }) => tag ?? []))].filter((tag) => tag !== year.tag)
  if (year.tag && tags.length > 0) return `the year is tagged ${year.tag}, quarters ${tags.join(', ')}`
  return 'single quarters were reported with numbers that do not add up to the year'
}
