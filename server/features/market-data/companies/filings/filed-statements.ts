import type { Day } from '../../dates.ts'
import { type FiledCompany, type Filing, isStatementForm, knownOn, reportingCurrency } from './filed-facts.ts'
import { type FiledLine, filedLine, filedLines } from './filed-lines.ts'
import { type FiscalYear, fiscalYears } from './fiscal-periods.ts'
import { consistentPair, FactIndex, type Version } from './line-values.ts'

/** One value of a statement, and where it is from. */
export interface FiledValue {
  value: number
  /** As the tag has it; null if the value is not in a filing but computed. */
  reported: number | null
  tag: string | null
  unit: string
  /** The newest filing with this value; for a computed value, the newest of its parts. */
  filing: Filing
  /** Whether an earlier filing had another value for the period. */
  restated: boolean
  /** How it was computed; null if it was reported. */
  derived: string | null
}

export interface FiledStatement {
  start: Day
  end: Day
  fiscalYear: number
  /** null: the whole year. */
  quarter: 1 | 2 | 3 | 4 | null
  values: ReadonlyMap<string, FiledValue>
}

export interface FiledView {
  currency: string
  /** Newest first. */
  statements: FiledStatement[]
}

interface Period {
  year: FiscalYear
  quarter: FiledStatement['quarter']
  start: Day
  end: Day
}

const BEFORE_RESTATEMENT = ', both as reported before a restatement'

/** The statements of a company as known at the end of `asOf` (null: today), with `lines` (default: all). */
export function filedStatements(
  { facts }: FiledCompany,
  period: 'annual' | 'quarterly',
  asOf: Day | null,
  lines: readonly string[] = filedLines.map(({ name }) => name),
): FiledView {
  const known = knownOn(facts, asOf).filter(({ filing }) => isStatementForm(filing.form))
  const currency = reportingCurrency(known)
  const index = new FactIndex(known, currency)
  const statements = fiscalYears(known)
    .flatMap((year) => (period === 'annual' ? wholeYear(year) : quartersOf(year)))
    .map((one) => {
      const values = new Map<string, FiledValue>()
      for (const name of lines) {
        const line = filedLine.get(name)
        const found = line ? lineOf(index, line, one) : null
        if (found) values.set(name, found)
      }
      return { start: one.start, end: one.end, fiscalYear: one.year.label, quarter: one.quarter, values }
    })
    .filter(({ values }) => values.size > 0)
  return { currency, statements: statements.reverse() }
}

const wholeYear = (year: FiscalYear): Period[] =>
  year.complete ? [{ year, quarter: null, start: year.start, end: year.end }] : []

function quartersOf(year: FiscalYear): Period[] {
  // Companies that report once a year have no quarters, not a fourth one.
  if (year.quarterEnds.every((end) => end === null)) return []
  const ends = [...year.quarterEnds, year.complete ? year.end : null]
  return ends.flatMap((end, at) => {
    if (end === null) return []
    const before = at === 0 ? year.start - 1 : ends[at - 1]
    const start = before == null ? year.start + Math.round((at * (year.end - year.start + 1)) / 4) : before + 1
    return [{ year, quarter: (at + 1) as 1 | 2 | 3 | 4, start, end }]
  })
}

function lineOf(index: FactIndex, line: FiledLine, period: Period): FiledValue | null {
  const { start, end, quarter } = period
  const direct = index.versions(line, line.kind === 'instant' ? { start: null, end } : { start, end })
  const found =
    line.kind === 'flow' && quarter !== null && quarter > 1
      ? quarterOfFlow(index, line, period, direct)
      : reported(line, direct)
  if (found || !line.difference) return found
  const [a, b] = line.difference.map((name) => lineOf(index, filedLine.get(name)!, period))
  return a && b ? computed(line, a.value - b.value, [a, b], line.difference.join(' less ')) : null
}

function reported({ sign }: FiledLine, versions: readonly Version[]): FiledValue | null {
  const last = versions.at(-1)
  if (!last) return null
  const { value, tag, unit, newest } = last
  return {
    value: sign * value,
    reported: value,
    tag,
    unit,
    filing: newest,
    restated: versions.length > 1,
    derived: null,
  }
}

/**
 * Most reports show cash flows only from the start of the year, and annual reports have no fourth quarter: such quarters
 * are differences. A reported fourth quarter counts unless the year was restated after it.
 */
function quarterOfFlow(
  index: FactIndex,
  line: FiledLine,
  period: Period,
  direct: readonly Version[],
): FiledValue | null {
  const { year, quarter, end } = period
  const own = reported(line, direct)
  if (own && quarter !== 4) return own
  const whole = index.versions(line, { start: year.start, end })
  const outdated = own && whole.length > 1 && whole.at(-1)!.first.filed > own.filing.filed
  if (own && !outdated) return own
  const before = year.quarterEnds[quarter! - 2]
  const pair = before == null ? null : consistentPair(whole, index.versions(line, { start: year.start, end: before }))
  if (pair) {
    const how = `${quarter === 4 ? 'year' : `${quarter! * 3} months`} less ${(quarter! - 1) * 3} months`
    const [a, b] = [reported(line, [pair.whole])!, reported(line, [pair.part])!]
    return computed(line, a.value - b.value, [a, b], how + (pair.restated ? BEFORE_RESTATEMENT : ''))
  }
  if (own || quarter !== 4) return own
  const parts = quartersOf(year)
    .filter((one) => one.quarter !== 4)
    .map((one) => lineOf(index, line, one))
  const total = reported(line, whole)
  if (!total || parts.length < 3 || parts.some((part) => !part)) return null
  const sum = parts.reduce((all, part) => all + part!.value, 0)
  return computed(line, total.value - sum, [total, ...(parts as FiledValue[])], 'year less three quarters')
}

function computed({ name }: FiledLine, value: number, parts: readonly FiledValue[], how: string): FiledValue {
  const [first] = parts
  if (!first) throw new Error(`${name} is computed from nothing`)
  const filing = parts.map((part) => part.filing).reduce((a, b) => (b.filed > a.filed ? b : a))
  // Sums of money have no fractions of a cent; without this, 0.1 + 0.2 would show.
  const exact = Math.round(value * 1e6) / 1e6
  return {
    value: exact,
    reported: null,
    tag: null,
    unit: first.unit,
    filing,
    restated: parts.some(({ restated }) => restated),
    derived: how,
  }
}
