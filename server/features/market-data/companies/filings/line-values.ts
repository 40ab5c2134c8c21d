import type { Day } from '../../dates.ts'
import { coverCounts } from './cover-counts.ts'
import { byFiling, type Fact, type Filing } from './filed-facts.ts'
import { COVER_COUNT, type FiledLine } from './filed-lines.ts'
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

/** Of counts of one report and one restated for a split, as a share: 5 for 4. Sold and bought shares in between are less. */
const SMALLEST_SPLIT = 0.2

/** 0, -1, 1, -2, 2 and so on. */
const OFFSETS = Array.from({ length: 2 * TOLERANCE_DAYS + 1 }, (_, at) => (at % 2 ? -1 : 1) * Math.ceil(at / 2))

/** Facts by tag and last day, to find those of a period. */
export class FactIndex {
  readonly #byTag = new Map<string, Map<Day, Fact[]>>()
  readonly #onCover: (end: Day) => Fact[]
  readonly currency: string

  constructor(facts: readonly Fact[], currency: string) {
    this.currency = currency
    this.#onCover = coverCounts(facts, COVER_COUNT)
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
    const found = this.#ofGroups(line, span)
    if (!line.cover) return found
    const cover = this.#asVersions(line, [COVER_COUNT], this.#onCover(span.end))
    const [count, onCover] = [found.at(-1), cover.at(-1)]
    if (!count || !onCover) return onCover ? cover : found
    // After a split, later reports restate the count of the balance sheet, but no cover page.
    const isSplit = Math.abs(count.value / onCover.value - 1) >= SMALLEST_SPLIT
    return isSplit && count.first.filed > onCover.newest.filed ? found : cover
  }

  #ofGroups(line: FiledLine, span: Span): Version[] {
    for (const group of line.groups) {
      const versions = this.#ofTags(line, group, span)
      if (versions.length > 0) return versions
    }
    return []
  }

  /**
   * The values of a line for a period and for the beginning of it, to subtract; null if there is no such pair. Both are of
   * one group, and of one tag where the filings show that two tags of the group are different things. Tags of two groups
   * make a pair only where the company has used both for the same numbers.
   */
  pair(line: FiledLine, whole: Span, part: Span): Pair | null {
    for (const group of line.groups) {
      const of = (tags: readonly string[]) =>
        consistentPair(this.#ofTags(line, tags, whole), this.#ofTags(line, tags, part))
      const pair = of(group)
      if (!pair) continue
      const tags = [pair.part.tag, pair.whole.tag]
      const others = [whole, part].flatMap((span) => [...this.#others(line, group, span)])
      if (tags[0] === tags[1] || !tags.some((tag) => others.includes(tag))) return pair
      const same = tags.map((tag) => of([tag])).find((one) => one !== null)
      if (same) return same
    }
    const mixed = consistentPair(this.versions(line, whole), this.versions(line, part))
    return mixed && this.#alwaysEqual(mixed.whole.tag, mixed.part.tag) ? mixed : null
  }

  /** Whether the company has used both tags for one number, and never for two. */
  #alwaysEqual(a: string, b: string): boolean {
    const [first, second] = [this.#byTag.get(a), this.#byTag.get(b)]
    const pairs = [...(first ?? [])].flatMap(([end, facts]) =>
      facts.flatMap((one) =>
        (second?.get(end) ?? [])
          .filter(({ start, unit }) => start === one.start && unit === one.unit)
          .map(({ value }) => value === one.value),
      ),
    )
    return pairs.length > 0 && pairs.every(Boolean)
  }

  #ofTags(line: FiledLine, tags: readonly string[], span: Span): Version[] {
    const facts = tags.flatMap((tag) => this.#find(line, tag, span)).sort(byFiling)
    const others = this.#others(line, tags, span)
    const total = facts.filter(({ tag }) => !others.has(tag))
    return this.#asVersions(line, tags, total.length > 0 ? total : facts)
  }

  /** Tags that one filing has with another value than the line's own: a part of it, or something close to it. */
  #others(line: FiledLine, tags: readonly string[], span: Span): Set<string> {
    if (tags.length === 1) return new Set()
    const facts = tags.flatMap((tag) => this.#find(line, tag, span))
    return new Set(
      [...Map.groupBy(facts, ({ filing }) => filing.accession).values()].flatMap((same) => {
        const { value } = chosenOf(line, tags, same)
        return same.filter((fact) => fact.value !== value).map(({ tag }) => tag)
      }),
    )
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

  #asVersions(line: FiledLine, tags: readonly string[], facts: readonly Fact[]): Version[] {
    const versions: Version[] = []
    for (let from = 0; from < facts.length; ) {
      const { filing } = facts[from]!
      let to = from
      while (to < facts.length && facts[to]!.filing.accession === filing.accession) to++
      const last = versions.at(-1)
      const { value, tag, unit } = chosenOf(line, tags, facts.slice(from, to))
      if (last?.value === value) Object.assign(last, { newest: filing, tag })
      else versions.push({ value, tag, unit, first: filing, newest: filing })
      from = to
    }
    return versions
  }
}

/** The fact of one filing that is the line. Of a number that it has twice, the one that was not rounded. */
function chosenOf({ largest }: FiledLine, tags: readonly string[], facts: readonly Fact[]): Fact {
  return facts.reduce((best, fact) => {
    if (fact.tag === best.tag) return digitsOf(fact.value) > digitsOf(best.value) ? fact : best
    if (largest) return fact.value > best.value ? fact : best
    return tags.indexOf(fact.tag) < tags.indexOf(best.tag) ? fact : best
  })
}

const digitsOf = (value: number): number => String(Math.abs(value)).replace(/0+$/, '').length

export interface Pair {
  whole: Version
  part: Version
  /** Both are as reported before one of them was restated. */
  restated: boolean
}

/**
 * The pair of values to subtract. Both must be of one accounting: if one was restated and no report since has the other,
 * the values before the restatement are used, because the mixture would be no number of any report.
 */
export function consistentPair(whole: readonly Version[], part: readonly Version[]): Pair | null {
  if (whole.length === 0 || part.length === 0) return null
  const from = Math.max(whole[0]!.first.filed, part[0]!.first.filed)
  const at = (versions: readonly Version[]) => versions.filter(({ first }) => first.filed <= from).at(-1)!
  const revisedLater = (versions: readonly Version[]) => versions.at(-1)!.first.filed > from
  const [revised, kept] = revisedLater(whole) ? [whole, part] : [part, whole]
  const confirmed = kept.at(-1)!.newest.filed >= revised.at(-1)!.first.filed
  if (confirmed || revisedLater(whole) === revisedLater(part))
    return { whole: whole.at(-1)!, part: part.at(-1)!, restated: false }
  return { whole: at(whole), part: at(part), restated: true }
}
