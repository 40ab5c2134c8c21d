import { ownOf } from '../../json-schema/own-of.ts'
import type { BarsFile } from './dataset-file.ts'
import { dateSample, dayReader, minuteReader, numberReader, shownCell } from './read-cell.ts'
import type { Findings } from './report.ts'

const required = ['symbol', 'date', 'open', 'high', 'low', 'close'] as const
const optional = ['volume', 'split', 'dividend'] as const
type Field = (typeof required)[number] | (typeof optional)[number]

export interface BarRow {
  symbol: string
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  split: number
  dividend: number
}

/**
 * Reads a row of cells into a bar (always the same object); null for a row without a date. Errors go to `findings` with
 * their place. Throws when the manifest maps too few or unknown fields.
 */
export function barRowReader(
  dataset: BarsFile,
  findings: Findings,
): (row: readonly unknown[], where: () => string) => BarRow | null {
  const at = fieldPlaces(dataset)
  const readTime = dataset.interval === '1d' ? dayReader(dataset) : minuteReader(dataset, dataset.timezone)
  const readNumber = numberReader(dataset)
  const bar: BarRow = { symbol: '', time: 0, open: 0, high: 0, low: 0, close: 0, volume: 0, split: 1, dividend: 0 }

  /** NaN for anything that is not a number; `absent` where the source may omit it. */
  const read = (row: readonly unknown[], field: Field, absent: number | null, where: () => string): number => {
    const place = at[field]
    if (place === -1) return absent ?? Number.NaN
    const value = readNumber(row[place])
    if (value === null && absent !== null) return absent
    if (value !== null && Number.isFinite(value)) return value
    findings.error('bad_number', `${where()}, column ${dataset.fields[field]}: ${shownCell(row[place])} is no number`)
    return Number.NaN
  }

  return (row, where) => {
    const symbol = String(row[at.symbol] ?? '').trim()
    if (symbol === '') findings.error('no_symbol', `${where()}, column ${dataset.fields.symbol}: empty`)
    const time = readTime(row[at.date])
    if (Number.isNaN(time)) {
      const shown = shownCell(row[at.date])
      findings.error(
        'bad_date',
        `${where()}, column ${dataset.fields.date}: ${shown} is no date ${dateSample(dataset)}`,
      )
      return null
    }
    bar.symbol = ownOf(dataset.symbol_map, symbol) ?? symbol
    bar.time = time
    bar.open = read(row, 'open', null, where)
    bar.high = read(row, 'high', null, where)
    bar.low = read(row, 'low', null, where)
    bar.close = read(row, 'close', null, where)
    bar.volume = read(row, 'volume', 0, where)
    bar.split = read(row, 'split', 1, where)
    bar.dividend = read(row, 'dividend', 0, where)
    check(bar, where, findings)
    return bar
  }
}

function check(
  { open, high, low, close, volume, split, dividend }: BarRow,
  where: () => string,
  findings: Findings,
): void {
  // Comparisons with NaN are false: a bar with a bad number was already reported.
  if (low > open || low > close || open > high || close > high)
    findings.error('ohlc_order', `${where()}: open ${open}, high ${high}, low ${low}, close ${close} are out of order`)
  if (low <= 0 || volume < 0 || split <= 0 || dividend < 0)
    findings.error(
      'not_positive',
      `${where()}: prices and splits must be above 0, volume and dividend must not be negative`,
    )
}

function fieldPlaces({ id, fields }: BarsFile): Record<Field, number> {
  const names = Object.keys(fields)
  const absent = required.find((name) => !names.includes(name))
  if (absent) throw new Error(`${id}: fields must map ${required.join(', ')}; ${absent} is missing.`)
  const known: readonly string[] = [...required, ...optional]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown) throw new Error(`${id}: bars have no field ${unknown}. Possible: ${known.join(', ')}.`)
  return Object.fromEntries(known.map((name) => [name, names.indexOf(name)])) as Record<Field, number>
}
