import type { BarRow } from '../rows.ts'

/** Puts each split of `[{date, multiplier}]` on the bar of its date. Throws when a date is not a session. */
export function markSplits(rows: BarRow[], json: string): BarRow[] {
  const byDate = new Map(rows.map((row) => [row.date, row]))
  for (const { date, multiplier } of JSON.parse(json) as { date: string; multiplier: number }[]) {
    const row = byDate.get(date)
    if (!row) throw new Error(`The split of ${date} is not on a session.`)
    row.split = multiplier
  }
  return rows
}
