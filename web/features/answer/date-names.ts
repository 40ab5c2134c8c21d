const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
const day = format({ dateStyle: 'medium' })
const dayAndMonth = format({ month: 'short', day: 'numeric' })
const month = format({ month: 'short', year: 'numeric' })
const year = format({ year: 'numeric' })
const minute = format({ hour: 'numeric', minute: '2-digit' })
const dayMs = 86_400_000

/** A date as people read it; any other text unchanged. */
export function dayOf(text: string): string {
  const at = new Date(text)
  return Number.isFinite(at.getTime()) ? day.format(at) : text
}

/** A period that is dated by its first day: 'Jun 2026', 'Q2 2026', '2026'. Without a frequency the day. */
export function periodOf(at: Date, frequency: unknown): string {
  if (frequency === 'monthly') return month.format(at)
  if (frequency === 'quarterly') return `Q${Math.floor(at.getUTCMonth() / 3) + 1} ${at.getUTCFullYear()}`
  return frequency === 'annual' ? year.format(at) : day.format(at)
}

/** Names the dates of a chart, as short as its span allows, and in full. Times have their zone. */
export function dateNames(dates: readonly Date[], frequency?: unknown): (at: Date) => { label: string; name: string } {
  const span = dates.length === 0 ? 0 : dates.at(-1)!.getTime() - dates[0]!.getTime()
  if (dates.some((at) => at.getTime() % dayMs !== 0)) {
    const short = span < 2 * dayMs ? minute : dayAndMonth
    return (at) => ({ label: short.format(at), name: `${day.format(at)}, ${minute.format(at)} UTC` })
  }
  const short = span < 150 * dayMs ? dayAndMonth : span < 4000 * dayMs ? month : year
  return (at) => ({ label: short.format(at), name: periodOf(at, frequency) })
}
