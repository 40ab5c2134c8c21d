/** A stretch of time as people write it. Dates are inclusive. */
export interface Period {
  from?: string
  to?: string
  /** Instead of `from`: this many months, or days, up to the last value. */
  months?: number
  days?: number
  /** All available data. */
  all?: true
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
/** One day, without groups. */
export const DATE = `(?:\\d{4}-\\d{2}-\\d{2}|\\d{1,2} ${MONTH}\\.?,? \\d{4}|${MONTH}\\.? \\d{1,2},? \\d{4})`
const DAY = `(?:${DATE}|\\d{4}-\\d{2}|${MONTH}\\.? \\d{4}|(?:19|20)\\d{2})`
const COUNT = '(?:\\d{1,3}|an?|one|two|three|four|five|six|ten|twelve|twenty)'
const UNIT = '(?:days?|weeks?|months?|mos?|quarters?|years?|yrs?|y)'

/** Everything that `readPeriod` understands, for use inside other patterns. It has no groups. */
export const PERIOD = `(?:${[
  "(?:in |during |over )?(?:the )?(?:19|20)\\d0['’]?s",
  `(?:from |in |during |for |between )?${DAY}(?: ?(?:to|until|till|and|-|–) ?${DAY})?`,
  `since ${DAY}`,
  `(?:until|till|up to|through) ${DAY}`,
  `(?:(?:over|in|for|during) )?(?:the )?(?:(?:last|past|previous) )?${COUNT}[- ]?${UNIT}`,
  '(?:(?:over|in|during) )?the (?:last|past) (?:week|month|quarter|year)',
  '(?:so far )?this year',
  'year to date',
  'ytd',
  '(?:last|past|previous) (?:week|month|quarter|year)',
  'max|all (?:the )?data|full history',
].join('|')})`

const words: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  ten: 10,
  twelve: 12,
  twenty: 20,
}

/** The period in `text`, all of which must be one. `today` is YYYY-MM-DD. */
export function readPeriod(text: string, today: string): Period | null {
  const wanted = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const year = Number(today.slice(0, 4))
  if (/^(?:max|all|full)/.test(wanted)) return { all: true }
  if (/this year$|^year to date$|^ytd$/.test(wanted)) return { from: `${year}-01-01` }
  if (/^(?:last|previous) year$/.test(wanted)) return { from: `${year - 1}-01-01`, to: `${year - 1}-12-31` }
  const decade = /(\d{3}0)['’]?s$/.exec(wanted)
  if (decade) return { from: `${decade[1]}-01-01`, to: `${Number(decade[1]) + 9}-12-31` }
  const back = new RegExp(`(?:^|[^a-z\\d])(?:(${COUNT})[- ]?)?(${UNIT})$`).exec(wanted)
  if (back) return backBy(words[back[1] ?? 'a'] ?? Number(back[1]), back[2]!)
  const days = wanted.match(new RegExp(DAY, 'g'))
  if (!days) return null
  if (wanted.startsWith('since')) return { from: firstDay(days[0]!) }
  if (/^(?:until|till|up|through)/.test(wanted)) return { to: lastDay(days[0]!) }
  return { from: firstDay(days[0]!), to: lastDay(days[1] ?? days[0]!) }
}

function backBy(count: number, unit: string): Period | null {
  if (count <= 0) return null
  if (unit.startsWith('d')) return { days: count }
  if (unit.startsWith('w')) return { days: 7 * count }
  return { months: count * (unit.startsWith('m') ? 1 : unit.startsWith('q') ? 3 : 12) }
}

/** YYYY, YYYY-MM or YYYY-MM-DD. */
export function isoOf(written: string): string {
  const day = written.toLowerCase()
  const at = months.findIndex((month) => day.includes(month))
  if (at === -1) return day
  const [, date] = /(?:^|\D)(\d{1,2})\D/.exec(day) ?? []
  return [day.slice(-4), at + 1, ...(date ? [date] : [])].map((part) => String(part).padStart(2, '0')).join('-')
}

const firstDay = (day: string) => `${isoOf(day)}${'-01-01'.slice(0, 10 - isoOf(day).length)}`

/** The last day of `2012`, `2012-02` or `February 2012`. */
function lastDay(given: string): string {
  const day = isoOf(given)
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

export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

/** Years from the period's start to its end, or to `last`. `first` is where the data begins. */
export function yearsOf({ from, to, months, days, all }: Period, first: string, last: string): number {
  if (months !== undefined) return months / 12
  if (days !== undefined) return days / 365.25
  const start = all || from === undefined ? first : from
  return (Date.parse(to ?? last) - Date.parse(start)) / (365.25 * 86_400_000)
}
