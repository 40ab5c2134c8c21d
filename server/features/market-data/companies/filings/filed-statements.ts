import type { Day } from '../../dates.ts'
import { type FiledCompany, type Filing, isStatementForm, knownOn, reportingCurrency } from './filed-facts.ts'
import { type FiledLine, filedLine, filedLines } from './filed-lines.ts'
import { type FiscalYear, fiscalYears, near } from './fiscal-periods.ts'
import { consistentPair, FactIndex, type Pair, type Span, type Version } from './line-values.ts'

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
  const all = facts.filter(({ filing }) => isStatementForm(filing.form))
  const known = knownOn(all, asOf)
  const currency = reportingCurrency(known)
  const index = new FactIndex(known, currency)
  const statements = named(fiscalYears(known), asOf === null ? null : fiscalYears(all))
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

/** A year keeps one name, although the reports of some dates would give it another. */
const named = (years: FiscalYear[], all: readonly FiscalYear[] | null): FiscalYear[] =>
  years.map((year) => {
    const same = all?.find(({ start, end }) => near(start, year.start) || near(end, year.end))
    return same ? { ...year, label: same.label } : year
  })

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
  const span = line.kind === 'instant' ? { start: null, end } : { start, end }
  const direct = index.versions(line, span)
  const found =
    line.kind === 'flow' && quarter !== null && quarter > 1
      ? quarterOfFlow(index, line, period, direct)
      : reported(line, direct)
  if (found || !line.difference) return found
  const how = line.difference.join(' less ')
  const [first, second] = line.difference.map((name) => filedLine.get(name)!) as [FiledLine, FiledLine]
  const pair = consistentPair(index.versions(first, span), index.versions(second, span))
  if (pair && (quarter !== 4 || line.kind === 'instant')) return difference(line, [first, second], pair, how)
  const [a, b] = [lineOf(index, first, period), lineOf(index, second, period)]
  return a && b ? computed(line, a.value - b.value, [a, b], how) : null
}

function difference(line: FiledLine, [of, less]: readonly [FiledLine, FiledLine], pair: Pair, how: string): FiledValue {
  const [a, b] = [reported(of, [pair.whole])!, reported(less, [pair.part])!]
  return computed(line, a.value - b.value, [a, b], how + (pair.restated ? BEFORE_RESTATEMENT : ''))
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
  const [all, beginning] = [
    { start: year.start, end },
    { start: year.start, end: before ?? null },
  ]
  const pair = beginning.end === null ? null : index.pair(line, all, beginning as Span)
  if (pair) {
    const how = `${quarter === 4 ? 'year' : `${quarter! * 3} months`} less ${(quarter! - 1) * 3} months`
    return difference(line, [line, line], pair, how)
  }
  return own || quarter !== 4 ? own : yearLessQuarters(index, line, year)
}

function yearLessQuarters(index: FactIndex, line: FiledLine, year: FiscalYear): FiledValue | null {
  const first = quartersOf(year).filter(({ quarter }) => quarter !== 4)
  if (first.length < 3) return null
  for (const group of line.groups) {
    const only = { ...line, groups: [group] }
    const parts = first.map(({ start, end }) => index.versions(only, { start, end }))
    if (parts.some((versions) => versions.length === 0)) continue
    const pair = consistentPair(index.versions(only, { start: year.start, end: year.end }), sumOf(parts))
    if (pair) return difference(line, [line, line], pair, 'year less three quarters')
  }
  return null
}

/** Three quarters as first reported and, if one of them was restated, as reported now. */
function sumOf(quarters: readonly (readonly Version[])[]): Version[] {
  const total = (at: 0 | -1): Version => {
    const parts = quarters.map((versions) => versions.at(at)!)
    const byDay = (filings: Filing[]) => filings.sort((a, b) => a.filed - b.filed)
    return {
      value: parts.reduce((sum, { value }) => sum + value, 0),
      tag: parts[0]!.tag,
      unit: parts[0]!.unit,
      first: byDay(parts.map(({ first }) => first)).at(-1)!,
      newest: byDay(parts.map(({ newest }) => newest))[0]!,
    }
  }
  return quarters.some((versions) => versions.length > 1) ? [total(0), total(-1)] : [total(-1)]
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
