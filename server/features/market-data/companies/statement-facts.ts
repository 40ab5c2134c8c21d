import { dayText } from '../dates.ts'
import type { StatementOf } from './company-statements.ts'

/**
 * Facts about the shown values for `meta`: the newest filing of each period, what was computed, and what an earlier
 * filing had otherwise. Empty for datasets that do not know their filings.
 */
export function factsOf(periods: readonly StatementOf[], lines: readonly string[]) {
  const shown = periods.map((one) => ({
    end: dayText(one.end),
    values: lines.flatMap((line) => {
      const origin = one.value(line)?.origin
      return origin ? [{ line, ...origin }] : []
    }),
  }))
  if (shown.every(({ values }) => values.length === 0)) return {}
  const byPeriod = <T>(of: (values: (typeof shown)[number]['values']) => T | null) =>
    Object.fromEntries(shown.flatMap(({ end, values }) => (of(values) === null ? [] : [[end, of(values)]])))
  return {
    filings: byPeriod((values) => {
      const newest = values.map(({ filing }) => filing).sort((a, b) => b.filed - a.filed)[0]
      return newest ? { form: newest.form, filed: dayText(newest.filed), accession: newest.accession } : null
    }),
    derived: byPeriod((values) => {
      const ways = Map.groupBy(
        values.filter(({ derived }) => derived !== null),
        ({ derived }) => derived!,
      )
      return ways.size === 0
        ? null
        : [...ways].map(([way, list]) => `${list.map(({ line }) => line).join(', ')}: ${way}`)
    }),
    restated: byPeriod((values) => {
      const list = values.filter(({ restated }) => restated).map(({ line }) => line)
      return list.length === 0 ? null : list
    }),
  }
}
