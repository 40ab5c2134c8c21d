import type { Day } from '../../dates.ts'

/** A document that a company filed with the SEC. */
export interface Filing {
  accession: string
  form: string
  filed: Day
  /** Fiscal year of the document, not of every fact in it. */
  fiscalYear: number | null
}

/** One reported number: of a day, or (with `start`) of a period. The same number is there once for each filing that has it. */
export interface Fact {
  /** With its taxonomy: us-gaap:Assets. */
  tag: string
  unit: string
  start: Day | null
  end: Day
  value: number
  filing: Filing
}

/** What one company filed. */
export interface FiledCompany {
  cik: string
  name: string
  facts: readonly Fact[]
}

/** Statements of a period that are filed later, with corrections, carry the suffix /A. Others are pay tables and the like. */
const FORMS = /^(10-K|10-KT|10-Q|10-QT|20-F|40-F|8-K|6-K)(\/A)?$/
export const isStatementForm = (form: string): boolean => FORMS.test(form)
export const isAnnualForm = (form: string): boolean => /^(10-K|20-F|40-F)/.test(form)

/** Oldest filing first; of two on one day, the one with the greater number is the later. */
export const byFiling = (a: Fact, b: Fact): number =>
  a.filing.filed - b.filing.filed ||
  (a.filing.accession < b.filing.accession ? -1 : Number(a.filing.accession !== b.filing.accession))

/** What was known at the end of `asOf`; without it, everything. */
export const knownOn = (facts: readonly Fact[], asOf: Day | null): readonly Fact[] =>
  asOf === null ? facts : facts.filter(({ filing }) => filing.filed <= asOf)

/** Days of a period, both ends included. */
export const daysOf = ({ start, end }: Pick<Fact, 'start' | 'end'>): number => (start === null ? 0 : end - start + 1)

/** The currency of the newest annual report; some companies add a translation of their latest year. */
export function reportingCurrency(facts: readonly Fact[]): string {
  const isMoney = ({ unit }: Fact) => /^[A-Z]{3}$/.test(unit)
  const money = facts.filter(isMoney)
  const annual = money.filter(({ filing }) => isAnnualForm(filing.form))
  const pool = annual.length > 0 ? annual : money
  const newest = Math.max(...pool.map(({ filing }) => filing.filed))
  const count = new Map<string, number>()
  for (const { unit, filing } of pool) if (filing.filed === newest) count.set(unit, (count.get(unit) ?? 0) + 1)
  return [...count].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'USD'
}
