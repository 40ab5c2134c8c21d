import type { Day } from '../../dates.ts'
import { byFiling, daysOf, type Fact } from './filed-facts.ts'
import { near } from './fiscal-periods.ts'

/**
 * Counts of shares on the cover pages of reports, by the end of the reported period. They are of a day after that end, so only
 * the filing tells which period they belong to: the last one that it reports. Oldest filing first.
 */
export function coverCounts(facts: readonly Fact[], tag: string): (end: Day) => Fact[] {
  const reported = new Map<string, Day>()
  for (const fact of facts) {
    const { accession } = fact.filing
    const days = daysOf(fact)
    if (days >= 70 && days <= 380) reported.set(accession, Math.max(fact.end, reported.get(accession) ?? fact.end))
  }
  const covers = Map.groupBy(
    facts.filter((fact) => fact.tag === tag && fact.unit === 'shares' && fact.value > 0),
    ({ filing }) => filing.accession,
  )
  const counts = [...covers].flatMap(([accession, [cover, ...others]]) => {
    const end = reported.get(accession)
    // Two counts may be two classes of shares or one corrected: nothing says which.
    const differs = others.some((other) => other.value !== cover!.value || other.end !== cover!.end)
    return end === undefined || differs || cover!.end < end ? [] : [{ end, cover: cover! }]
  })
  return (end) => {
    const found = counts.filter((count) => near(count.end, end)).map(({ cover }) => cover)
    // An amendment may count again on a later day; that is no correction of the first count.
    const first = Math.min(...found.map((cover) => cover.end))
    return found.filter((cover) => cover.end === first).sort(byFiling)
  }
}
