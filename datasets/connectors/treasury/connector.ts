import {
  BadAnswer,
  isDay,
  type Parsed,
  type PlanState,
  plainNumber,
  type Row,
  type SourceRequest,
  textOf,
  wholeRows,
} from '../../../server/features/datasets/connectors/connector.ts'
import { seriesConnector } from '../../../server/features/datasets/connectors/series-connector.ts'
import { csvRowsOf } from '../../../server/features/market-data/sources/csv.ts'
import manifest from './manifest.json' with { type: 'json' }

const FIRST_YEAR = 1990
const ID = 'treasury-yields'
const TENOR = /^([\d.]+)\s*(mo|month|months|yr|year|years)$/i
const NO_VALUE = ['', 'N/A']

/** One file for each year. A year is complete once it was fetched after it ended. */
function plan({ today, held }: PlanState): SourceRequest[] {
  const thisYear = Number(today.slice(0, 4))
  const years = Array.from({ length: thisYear - FIRST_YEAR + 1 }, (_, index) => FIRST_YEAR + index)
  return years
    .filter((year) => !(held[String(year)] && held[String(year)]! > `${year + 1}-01-05`))
    .map((year) => ({
      part: String(year),
      url: `https://home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/${year}/all?type=daily_treasury_yield_curve&field_tdr_date_value=${year}&page&_format=csv`,
    }))
}

/** Columns differ by year, so each is read by its name: "10 Yr", "1.5 Month". */
function parse(bytes: Uint8Array, { part }: SourceRequest): Parsed {
  const [header, ...lines] = csvRowsOf(textOf(bytes), ',')
  if (header?.cells[0]?.trim() !== 'Date') throw new BadAnswer('the file does not begin with a column Date')
  const series = header.cells.map((name, at) => (at === 0 ? null : seriesOf(name.trim())))
  const twice = series.find((id, at) => id !== null && series.indexOf(id) !== at)
  if (twice) throw new BadAnswer(`two columns are ${twice}`)
  const rows: Row[] = []
  for (const { cells, line } of wholeRows(header, lines)) {
    const date = isoDate(cells[0]!)
    if (!date?.startsWith(part)) throw new BadAnswer(`line ${line}: ${cells[0]} is no date of ${part}`)
    for (const [at, id] of series.entries()) {
      const text = cells[at]?.trim() ?? ''
      if (id === null || NO_VALUE.includes(text)) continue
      const value = plainNumber(text)
      // Yields have been between -0.1 and 9.1 percent since 1990.
      if (!(value > -5 && value < 30)) throw new BadAnswer(`line ${line}: ${text} is no yield in percent`)
      rows.push({ series: id, date, value })
    }
  }
  return { rows: { [ID]: rows } }
}

function seriesOf(column: string): string {
  const [, count, unit] = TENOR.exec(column) ?? []
  if (!count || !unit) throw new BadAnswer(`unknown column ${JSON.stringify(column)}`)
  return `US.TREASURY.${count.replace('.', '_')}${unit[0]!.toUpperCase()}`
}

function isoDate(text: string): string | null {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text.trim()) ?? []
  const date = `${year}-${month}-${day}`
  return isDay(date) ? date : null
}

function described(id: string) {
  const [, count = '', unit] = /\.([\d_]+)([MY])$/.exec(id) ?? []
  const number = count.replace('_', '.')
  const word = unit === 'M' ? 'month' : 'year'
  const fred = `DGS${count}${unit === 'M' ? 'MO' : ''}`
  return {
    name: `US Treasury par yield, ${number} ${word}${number === '1' ? '' : 's'}`,
    unit: 'Percent per year, bond equivalent',
    aliases: [fred],
  }
}

export const treasury = seriesConnector(manifest, {
  id: ID,
  plan,
  parse,
  name: 'US Treasury par yields',
  frequency: 'daily',
  series: (names) => Object.fromEntries(names.map((id) => [id, described(id)])),
  notes: [
    'Days without a published yield are left out: weekends, holidays, and years in which a security was not issued.',
  ],
})
