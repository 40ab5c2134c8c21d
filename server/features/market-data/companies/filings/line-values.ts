import type { Day } from '../../dates.ts'
import { byFiling, type Fact, type Filing } from './filed-facts.ts'
import type { FiledLine } from './filed-lines.ts'
import { TOLERANCE_DAYS } from './fiscal-periods.ts'

/** A value of a line, from its first filing on until another value replaces it. */
export interface Version {
  value: number
  tag: string
  unit: string
  first: Filing
  /** The newest filing that has this value. */
  newest: Filing
}

export interface Span {
  /** null: of the day `end`. */
  start: Day | null
  end: Day
}

/** 0, -1, 1, -2, 2 and so on. */
const OFFSETS = Array.from({ length: 2 * TOLERANCE_DAYS + 1 }, (_, at) => (at % 2 ? -1 : 1) * Math.ceil(at / 2))

/** Facts by tag and last day, to find those of a period. */
export class FactIndex {
  readonly #byTag = new Map<string, Map<Day, Fact[]>>()
  readonly currency: string

  constructor(facts: readonly Fact[], currency: string) {
    this.currency = currency
    for (const fact of facts) {
      const byEnd = this.#byTag.get(fact.tag) ?? new Map<Day, Fact[]>()
      this.#byTag.set(fact.tag, byEnd)
      const list = byEnd.get(fact.end)
      if (list) list.push(fact)
      else byEnd.set(fact.end, [fact])
    }
  }

  /** Values of a line for a period, oldest first; the last is the one that counts. */
  versions(line: FiledLine, span: Span): Version[] {
    for (const group of line.groups) {
      const facts = group.flatMap((tag) => this.#find(line, tag, span)).sort(byFiling)
      if (facts.length > 0) return this.#asVersions(line, group, facts)
    }
    return []
  }

  #find(line: FiledLine, tag: string, { start, end }: Span): Fact[] {
    const byEnd = this.#byTag.get(tag)
    if (!byEnd) return []
    const unit = line.unit === 'money' ? this.currency : line.unit === 'shares' ? 'shares' : `${this.currency}/shares`
    const fits = (fact: Fact) =>
      fact.unit === unit &&
      (start === null ? fact.start === null : fact.start !== null && Math.abs(fact.start - start) <= TOLERANCE_DAYS)
    const found: Fact[] = []
    for (const offset of OFFSETS) {
      for (const fact of byEnd.get(end + offset) ?? []) if (fits(fact)) found.push(fact)
      // The nearest day: a balance sheet is of one day.
      if (start === null && found.length > 0) break
    }
    return found
  }

  #asVersions({ largest }: FiledLine, group: readonly string[], facts: readonly Fact[]): Version[] {
    const versions: Version[] = []
    for (let from = 0; from < facts.length; ) {
      const { filing } = facts[from]!
      let to = from
      while (to < facts.length && facts[to]!.filing.accession === filing.accession) to++
      const same = facts.slice(from, to)
      const chosen = same.reduce((best, fact) => {
        if (largest) return fact.value > best.value ? fact : best
        return group.indexOf(fact.tag) < group.indexOf(best.tag) ? fact : best
      })
      const last = versions.at(-1)
      const { value, tag, unit } = chosen
      if (last?.value === value) Object.assign(last, { newest: filing, tag })
      else versions.push({ value, tag, unit, first: filing, newest: filing })
      from = to
    }
    return versions
  }
}

/**
 * The pair of values to subtract. Both must be of one accounting: if one was restated and the other never was, the values
 * before the restatement are used, because the mixture would be no number of any report.
 */
export function consistentPair(
  whole: readonly Version[],
  part: readonly Version[],
): { whole: Version; part: Version; restated: boolean } | null {
  if (whole.length === 0 || part.length === 0) return null
  const from = Math.max(whole[0]!.first.filed, part[0]!.first.filed)
  const at = (versions: readonly Version[]) => versions.filter(({ first }) => first.filed <= from).at(-1)!
  const revisedLater = (versions: readonly Version[]) => versions.at(-1)!.first.filed > from
  if (revisedLater(whole) === revisedLater(part)) return { whole: whole.at(-1)!, part: part.at(-1)!, restated: false }
  return { whole: at(whole), part: at(part), restated: true }
}
