import type { Day } from '../../dates.ts'
import { daysOf, type Fact, isAnnualForm } from './filed-facts.ts'

const DAYS_PER_YEAR = 365.25
/** Ends of one period that filings give as slightly different days: the last Saturday, or the end of the month. */
const SAME_END_DAYS = 10
export const TOLERANCE_DAYS = 5
/** Of a year that is not over: 52 weeks. */
const USUAL_YEAR_DAYS = 364

export interface FiscalYear {
  label: number
  start: Day
  end: Day
  /** Whether its annual report is known. */
  complete: boolean
  /** Ends of the first three quarters; null where no report is known. */
  quarterEnds: readonly [Day | null, Day | null, Day | null]
}

/**
 * The fiscal years of a company, oldest first, as its reports show them: years of 52 or 53 weeks, quarters of 12 or 16
 * weeks, any month. The fiscal year in a filing describes the filing, not the fact, so years are found by their dates.
 */
export function fiscalYears(facts: readonly Fact[]): FiscalYear[] {
  const durations = facts.filter(({ start }) => start !== null)
  const annual = durations.filter(
    (fact) => isAnnualForm(fact.filing.form) && daysOf(fact) >= 350 && daysOf(fact) <= 380,
  )
  const ends = clusters(annual.map(({ end }) => end))
  const years = ends.map((end) => ({
    end,
    start: commonest(annual.filter((fact) => near(fact.end, end)).map(({ start }) => start!))!,
  }))
  const labels = labelsOf(ends, annual)
  const found: FiscalYear[] = years.map(({ start, end }, at) => ({
    label: labels[at]!,
    start,
    end,
    complete: true,
    quarterEnds: quarterEnds(durations, start, end),
  }))
  const current = currentYear(durations, found.at(-1) ?? null)
  return current ? [...found, current] : found
}

/**
 * The year that is not over; null if no report of it is known. It begins after the last year, but for companies that have no
 * annual report yet, left one out or just changed their fiscal year: then with what the newest quarterly report counts from.
 */
function currentYear(durations: readonly Fact[], last: FiscalYear | null): FiscalYear | null {
  const quarterly = durations.filter(
    (fact) =>
      fact.filing.form.startsWith('10-Q') && fact.end > (last?.end ?? Number.NEGATIVE_INFINITY) && daysOf(fact) < 300,
  )
  const newest = Math.max(...quarterly.map(({ end }) => end))
  const report = quarterly.filter(({ end }) => end === newest)
  const moved = !last || durations.some(({ filing, end }) => /^10-[KQ]T/.test(filing.form) && end > last.end)
  const counted = Math.min(...report.map((fact) => fact.start!))
  for (const start of moved ? [counted] : [last.end + 1, counted]) {
    if (!Number.isFinite(start)) return null
    const end = start + USUAL_YEAR_DAYS - 1
    const quarters = quarterEnds(durations, start, end)
    if (quarters.every((one) => one === null)) continue
    const given = commonest(report.flatMap(({ filing }) => (filing.fiscalYear === null ? [] : [filing.fiscalYear])))
    const label = !moved && start === last.end + 1 ? last.label + 1 : (given ?? yearOf(end))
    return { label, start, end, complete: false, quarterEnds: quarters }
  }
  return null
}

export const near = (a: Day, b: Day): boolean => Math.abs(a - b) <= TOLERANCE_DAYS

/**
 * Quarters are numbered by how much of the year is over, because some have 12 weeks and some 16. Where no report counts from
 * the start of the year, single quarters tell.
 */
function quarterEnds(durations: readonly Fact[], start: Day, end: Day): FiscalYear['quarterEnds'] {
  const year = end - start + 1
  const [found, alone]: [Day[][], Day[][]] = [
    [[], [], []],
    [[], [], []],
  ]
  for (const fact of durations) {
    const days = daysOf(fact)
    if (fact.start! < start - TOLERANCE_DAYS || days < 70 || fact.end > end - 40) continue
    const fromStart = near(fact.start!, start)
    if (!fromStart && (days > 120 || !fact.filing.form.startsWith('10-Q'))) continue
    const quarter = Math.round((4 * (fact.end - start + 1)) / year)
    if (quarter >= 1 && quarter <= 3) (fromStart ? found : alone)[quarter - 1]!.push(fact.end)
  }
  return found.map((ends, at) => commonest(ends) ?? commonest(alone[at]!)) as unknown as FiscalYear['quarterEnds']
}

/** Different ends, oldest first, each the commonest of those close to it. */
function clusters(ends: Day[]): Day[] {
  const sorted = [...ends].sort((a, b) => a - b)
  const groups: Day[][] = []
  for (const end of sorted) {
    const group = groups.at(-1)
    if (group && end - group[0]! <= SAME_END_DAYS) group.push(end)
    else groups.push([end])
  }
  return groups.map((group) => commonest(group)!)
}

function commonest(days: readonly Day[]): Day | null {
  const count = new Map<Day, number>()
  for (const day of days) count.set(day, (count.get(day) ?? 0) + 1)
  return [...count].sort(([a, m], [b, n]) => n - m || b - a)[0]?.[0] ?? null
}

/**
 * The years' names as the company gives them: a year that ends in January is named after either year. Each annual report
 * names its own year; the commonest distance between name and place counts, so that a wrong name in one does no harm.
 */
function labelsOf(ends: readonly Day[], annual: readonly Fact[]): number[] {
  const reports = new Map<string, { end: Day; fiscalYear: number }>()
  for (const { end, filing } of annual) {
    const report = reports.get(filing.accession)
    // A report of the months between two fiscal years shows the years before, and names itself.
    const own = filing.fiscalYear !== null && !/^10-KT/.test(filing.form)
    if (own && (!report || end > report.end)) reports.set(filing.accession, { end, fiscalYear: filing.fiscalYear! })
  }
  return sameYears(ends).flatMap((group) => {
    const last = group.at(-1)!
    const place = (end: Day) => Math.round((end - last) / DAYS_PER_YEAR)
    const distances = [...reports.values()]
      .filter(({ end }) => group.some((one) => near(end, one)))
      .map(({ end, fiscalYear }) => fiscalYear - place(end))
    const distance = commonest(distances) ?? yearOf(last)
    return group.map((end) => distance + place(end))
  })
}

/** Years that end at one time of the year, apart from those after the company changed it. */
function sameYears(ends: readonly Day[]): Day[][] {
  const groups: Day[][] = []
  for (const end of ends) {
    const group = groups.at(-1)
    const years = group ? (end - group.at(-1)!) / DAYS_PER_YEAR : 0
    if (group && Math.abs(years - Math.round(years)) < 0.06) group.push(end)
    else groups.push([end])
  }
  return groups
}

const yearOf = (day: Day): number => new Date(day * 86_400_000).getUTCFullYear()
