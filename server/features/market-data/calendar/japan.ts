import { type Day, dayOf } from '../dates.ts'
import { nthWeekday, weekday } from './holidays.ts'

/** Holidays moved for the Olympic Games, and the days of the emperor's accession. */
const moved: Record<number, Record<string, [month: number, date: number] | null>> = {
  2020: { Marine: [7, 23], Sports: [7, 24], Mountain: [8, 10] },
  2021: { Marine: [7, 22], Sports: [7, 23], Mountain: [8, 8] },
}

/**
 * Holidays of Japan under the Act on National Holidays (as since 2016): a holiday on a Sunday moves to the next working
 * day, and a day between two holidays is one. Equinoxes by a formula valid until 2099.
 */
export function japaneseHolidays(year: number): [Day, string][] {
  const equinox = (base: number) => Math.floor(base + 0.242194 * (year - 1980) - Math.floor((year - 1980) / 4))
  const at = (name: string, usual: Day): Day => {
    const other = moved[year]?.[name]
    return other ? dayOf(year, ...other) : usual
  }
  const named: [Day, string][] = [
    [dayOf(year, 1, 1), "New Year's Day"],
    [nthWeekday(year, 1, 0, 2), 'Coming of Age Day'],
    [dayOf(year, 2, 11), 'National Foundation Day'],
    [dayOf(year, 3, equinox(20.8431)), 'Vernal Equinox Day'],
    [dayOf(year, 4, 29), 'Showa Day'],
    [dayOf(year, 5, 3), 'Constitution Memorial Day'],
    [dayOf(year, 5, 4), 'Greenery Day'],
    [dayOf(year, 5, 5), "Children's Day"],
    [at('Marine', nthWeekday(year, 7, 0, 3)), 'Marine Day'],
    [at('Mountain', dayOf(year, 8, 11)), 'Mountain Day'],
    [nthWeekday(year, 9, 0, 3), 'Respect for the Aged Day'],
    [dayOf(year, 9, equinox(23.2488)), 'Autumnal Equinox Day'],
    [at('Sports', nthWeekday(year, 10, 0, 2)), 'Sports Day'],
    [dayOf(year, 11, 3), 'Culture Day'],
    [dayOf(year, 11, 23), 'Labour Thanksgiving Day'],
  ]
  if (year <= 2018) named.push([dayOf(year, 12, 23), "Emperor's Birthday"])
  if (year >= 2020) named.push([dayOf(year, 2, 23), "Emperor's Birthday"])
  if (year === 2019) named.push([dayOf(2019, 5, 1), 'Enthronement'], [dayOf(2019, 10, 22), 'Enthronement ceremony'])
  const holidays = new Map(named)
  for (const [day, name] of named) {
    if (weekday(day) !== 6) continue
    let next = day + 1
    while (holidays.has(next)) next += 1
    holidays.set(next, `${name} (substitute)`)
  }
  for (const [day] of [...holidays]) {
    if (holidays.has(day + 2) && !holidays.has(day + 1) && weekday(day + 1) !== 6)
      holidays.set(day + 1, "Citizens' holiday")
  }
  return [...holidays]
}
