/** A stretch of time as people write it. Dates are inclusive. */
export interface Period {
  from?: string
  to?: string
  /** Instead of `from`: this many months up to the last value. */
  months?: number
  /** All available data. */
  all?: true
}

const DAY = '\\d{4}(?:-\\d{2}(?:-\\d{2})?)?'
const COUNT = '(?:\\d{1,3}|an?|one|two|three|four|five|ten|twenty)'
const UNIT = '(?:months?|mos?|years?|yrs?|y)'
const BACK = `(?:(?:over|in|for|during)\\s+)?(?:the\\s+)?(?:(?:last|past|previous)\\s+)?${COUNT}[\\s-]*${UNIT}`

/** Everything that `readPeriod` understands, for use inside other patterns. It has no groups. */
export const PERIOD = `(?:${[
  `(?:from\\s+|in\\s+|between\\s+)?${DAY}(?:\\s*(?:to|until|till|and|-|–)\\s*${DAY})?`,
  `since\\s+${DAY}`,
  BACK,
  '(?:over|in|during)\\s+the\\s+(?:last|past)\\s+year',
  '(?:so\\s+far\\s+)?this\\s+year',
  'year\\s+to\\s+date',
  'ytd',
  'last\\s+year',
  'max',
].join('|')})`

const words: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, ten: 10, twenty: 20 }

/** The period in `text`, all of which must be one. `today` is YYYY-MM-DD. */
export function readPeriod(text: string, today: string): Period | null {
  const wanted = text.trim().toLowerCase()
  const year = Number(today.slice(0, 4))
  if (wanted === 'max') return { all: true }
  if (/this\s+year$|^year\s+to\s+date$|^ytd$/.test(wanted)) return { from: `${year}-01-01` }
  if (/^last\s+year$/.test(wanted)) return { from: `${year - 1}-01-01`, to: `${year - 1}-12-31` }
  if (/(?:last|past)\s+year$/.test(wanted)) return { months: 12 }
  const back = new RegExp(`(${COUNT})[\\s-]*(${UNIT})$`).exec(wanted)
  if (back) {
    const count = words[back[1]!] ?? Number(back[1])
    return count > 0 ? { months: back[2]!.startsWith('m') ? count : 12 * count } : null
  }
  const days = wanted.match(new RegExp(DAY, 'g'))
  if (!days) return null
  const from = firstDay(days[0]!)
  return wanted.startsWith('since') ? { from } : { from, to: lastDay(days[1] ?? days[0]!) }
}

const firstDay = (day: string) => `${day}${'-01-01'.slice(0, 10 - day.length)}`

/** The last day of `2012` or `2012-02`. */
function lastDay(day: string): string {
  if (day.length === 4) return `${day}-12-31`
  if (day.length === 10) return day
  const [year, month] = day.split('-').map(Number)
  return `${day}-${new Date(Date.UTC(year!, month!, 0)).getUTCDate()}`
}

/** The day `months` before `day`. */
export function monthsBefore(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year!, month! - months, 0)).getUTCDate()
  return new Date(Date.UTC(year!, month! - 1 - months, Math.min(date!, last))).toISOString().slice(0, 10)
}

/** Years from the period's start to its end, or to `last`. `first` is where the data begins. */
export function yearsOf({ from, to, months, all }: Period, first: string, last: string): number {
  if (months !== undefined) return months / 12
  const start = all || from === undefined ? first : from
  return (Date.parse(to ?? last) - Date.parse(start)) / (365.25 * 86_400_000)
}
