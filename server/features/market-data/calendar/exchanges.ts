import { type Day, dayOf, parseDay } from '../dates.ts'
import { easter, isWeekend, nearestWeekday, nextMonday, nthWeekday, weekday } from './holidays.ts'
import { japaneseHolidays } from './japan.ts'

export interface Exchange {
  mic: string
  name: string
  zone: string
  /** Regular hours in minutes after local midnight. Tokyo's lunch break is not modeled. */
  open: number
  close: (day: Day) => number
  /** First and last year with known closures. */
  years: [first: number, last: number]
  /** Weekdays of the year on which the exchange is closed, with the reason. */
  closures: (year: number) => Map<Day, string>
}

const LAST_YEAR = 2035
const clock = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
const days = (year: number, once: Record<string, string>): [Day, string][] =>
  Object.entries(once)
    .filter(([date]) => Number(date.slice(0, 4)) === year)
    .map(([date, why]) => [parseDay(date), why])
const weekdays = (entries: [Day, string][]): Map<Day, string> => new Map(entries.filter(([day]) => !isWeekend(day)))

/** New York closures that follow no rule (NYSE, special closings). */
const newYorkOnce = {
  '1994-04-27': 'Mourning for Richard Nixon',
  '2001-09-11': 'Terrorist attack',
  '2001-09-12': 'Terrorist attack',
  '2001-09-13': 'Terrorist attack',
  '2001-09-14': 'Terrorist attack',
  '2004-06-11': 'Mourning for Ronald Reagan',
  '2007-01-02': 'Mourning for Gerald Ford',
  '2012-10-29': 'Hurricane Sandy',
  '2012-10-30': 'Hurricane Sandy',
  '2018-12-05': 'Mourning for George H. W. Bush',
  '2025-01-09': 'Mourning for Jimmy Carter',
}

/**
 * NYSE Rule 7.2. If New Year's Day is a Saturday, the holiday does not move to Friday, the end of the accounting year.
 */
function newYorkClosures(year: number): Map<Day, string> {
  const newYear = dayOf(year, 1, 1)
  const entries: [Day, string][] = [
    [weekday(newYear) === 6 ? newYear + 1 : newYear, "New Year's Day"],
    [nthWeekday(year, 2, 0, 3), "Washington's Birthday"],
    [easter(year) - 2, 'Good Friday'],
    [nthWeekday(year, 5, 0, -1), 'Memorial Day'],
    [nearestWeekday(dayOf(year, 7, 4)), 'Independence Day'],
    [nthWeekday(year, 9, 0, 1), 'Labor Day'],
    [nthWeekday(year, 11, 3, 4), 'Thanksgiving Day'],
    [nearestWeekday(dayOf(year, 12, 25)), 'Christmas Day'],
    ...days(year, newYorkOnce),
  ]
  if (year >= 1998) entries.push([nthWeekday(year, 1, 0, 3), 'Martin Luther King Jr. Day'])
  if (year >= 2022) entries.push([nearestWeekday(dayOf(year, 6, 19)), 'Juneteenth'])
  return weekdays(entries)
}

/** 13:00 on July 3, the day after Thanksgiving and December 24, where these are sessions (since 2013). */
function newYorkClose(day: Day): number {
  const year = new Date(day * 86_400_000).getUTCFullYear()
  const early = [dayOf(year, 7, 3), nthWeekday(year, 11, 3, 4) + 1, dayOf(year, 12, 24)]
  return year >= 2013 && early.includes(day) ? clock('13:00') : clock('16:00')
}

/** Bank holidays of England that were moved or added. */
const londonOnce = {
  '2002-06-03': 'Golden Jubilee',
  '2002-06-04': 'Spring Bank Holiday',
  '2011-04-29': 'Royal wedding',
  '2012-06-04': 'Spring Bank Holiday',
  '2012-06-05': 'Diamond Jubilee',
  '2020-05-08': 'Early May Bank Holiday',
  '2022-06-02': 'Spring Bank Holiday',
  '2022-06-03': 'Platinum Jubilee',
  '2022-09-19': 'State funeral of Queen Elizabeth II',
  '2023-05-08': 'Coronation of King Charles III',
}

function londonClosures(year: number): Map<Day, string> {
  const christmas = nextMonday(dayOf(year, 12, 25))
  const boxing = nextMonday(dayOf(year, 12, 26))
  const entries: [Day, string][] = [
    [nextMonday(dayOf(year, 1, 1)), "New Year's Day"],
    [easter(year) - 2, 'Good Friday'],
    [easter(year) + 1, 'Easter Monday'],
    [nthWeekday(year, 8, 0, -1), 'Summer Bank Holiday'],
    [christmas, 'Christmas Day'],
    [boxing === christmas || weekday(dayOf(year, 12, 26)) === 6 ? christmas + 1 : boxing, 'Boxing Day'],
    ...days(year, londonOnce),
  ]
  if (year !== 2020) entries.push([nthWeekday(year, 5, 0, 1), 'Early May Bank Holiday'])
  if (![2002, 2012, 2022].includes(year)) entries.push([nthWeekday(year, 5, 0, -1), 'Spring Bank Holiday'])
  return weekdays(entries)
}

/** 12:30 on the last sessions before Christmas and New Year's Day. */
function londonClose(day: Day): number {
  const year = new Date(day * 86_400_000).getUTCFullYear()
  const lastBefore = (limit: Day) => {
    let session = limit - 1
    while (isWeekend(session)) session -= 1
    return session
  }
  const early = [lastBefore(dayOf(year, 12, 25)), lastBefore(dayOf(year + 1, 1, 1))]
  return early.includes(day) ? clock('12:30') : clock('16:30')
}

/** Xetra's trading calendar since 2022. */
const frankfurtClosures = (year: number): Map<Day, string> =>
  weekdays([
    [dayOf(year, 1, 1), "New Year's Day"],
    [easter(year) - 2, 'Good Friday'],
    [easter(year) + 1, 'Easter Monday'],
    [dayOf(year, 5, 1), 'Labour Day'],
    [dayOf(year, 12, 24), 'Christmas Eve'],
    [dayOf(year, 12, 25), 'Christmas Day'],
    [dayOf(year, 12, 26), 'Second day of Christmas'],
    [dayOf(year, 12, 31), "New Year's Eve"],
  ])

function tokyoClosures(year: number): Map<Day, string> {
  return weekdays([
    ...japaneseHolidays(year),
    [dayOf(year, 1, 2), 'New Year'],
    [dayOf(year, 1, 3), 'New Year'],
    [dayOf(year, 12, 31), 'New Year'],
  ])
}

/** On November 5, 2024 the session was extended by half an hour. */
const tokyoClose = (day: Day): number => (day >= dayOf(2024, 11, 5) ? clock('15:30') : clock('15:00'))

const newYork = {
  zone: 'America/New_York',
  open: clock('09:30'),
  close: newYorkClose,
  years: [1990, LAST_YEAR] as [number, number],
  closures: newYorkClosures,
}

export const exchanges: readonly Exchange[] = [
  { mic: 'XNYS', name: 'New York Stock Exchange', ...newYork },
  { mic: 'XNAS', name: 'Nasdaq', ...newYork },
  {
    mic: 'XLON',
    name: 'London Stock Exchange',
    zone: 'Europe/London',
    open: clock('08:00'),
    close: londonClose,
    years: [2000, LAST_YEAR],
    closures: londonClosures,
  },
  {
    mic: 'XETR',
    name: 'Xetra, Frankfurt',
    zone: 'Europe/Berlin',
    open: clock('09:00'),
    // The last session of the year, the last weekday before December 31, ends early.
    close: (day) => (isLastSessionOfYear(day) ? clock('14:00') : clock('17:30')),
    years: [2022, LAST_YEAR],
    closures: frankfurtClosures,
  },
  {
    mic: 'XTKS',
    name: 'Tokyo Stock Exchange',
    zone: 'Asia/Tokyo',
    open: clock('09:00'),
    close: tokyoClose,
    years: [2016, LAST_YEAR],
    closures: tokyoClosures,
  },
]

function isLastSessionOfYear(day: Day): boolean {
  let last = dayOf(new Date(day * 86_400_000).getUTCFullYear(), 12, 30)
  while (isWeekend(last)) last -= 1
  return day === last
}
