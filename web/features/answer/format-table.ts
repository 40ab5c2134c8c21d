import { visible } from '../../lib/visible.ts'
import type { ResultTable } from './read-table.ts'

/** A table as people read it. The raw names and values are in the JSON view. */
export interface ReadableTable {
  columns: { name: string; header: string; isNumber: boolean }[]
  rows: string[][]
}

const headers: Record<string, string> = {
  cagr_percent: 'Growth per year %',
  cik: 'CIK',
  eps: 'EPS',
  held: 'Available data',
  id: 'ID',
  line: 'Line',
  mic: 'MIC',
  week52_high: '52-week high',
  week52_low: '52-week low',
}
const endings: [RegExp, string][] = [
  [/_percent$/, ' %'],
  [/_days$/, ' (days)'],
  [/_ms$/, ' (ms)'],
  [/_usd$/, ' (USD)'],
  [/_eur$/, ' (EUR)'],
  [/_celsius$/, ' (°C)'],
  [/_fahrenheit$/, ' (°F)'],
  [/_mm$/, ' (mm)'],
  [/_km$/, ' (km)'],
  [/_kmh$/, ' (km/h)'],
  [/_kg$/, ' (kg)'],
  [/_kwh$/, ' (kWh)'],
]

/** `change_percent` as 'Change %'. Names that are not identifiers, such as dates, stay as they are. */
export function readableHeader(name: string): string {
  const known = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (known !== undefined) return known
  if (!/^[a-z][a-z0-9_]*$/i.test(name) || /^[A-Z0-9_]+$/.test(name)) return name
  const [ending, shown] = endings.find(([pattern]) => pattern.test(name)) ?? [/$^/, '']
  const words = name
    .replace(ending, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter(Boolean)
    .join(' ')
    .replace(/\bid\b/, 'ID')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${shown}`
}

/** `high_celsius` as 'High' and '°C'. Without a unit at its end, null. */
export function nameAndUnit(name: string): { words: string; unit: string | null } {
  const header = readableHeader(name)
  const [, words = header, unit = null] = /^(.+) \((.+)\)$/.exec(header) ?? []
  return { words, unit }
}

const years = /(?:^|_)year$/
const maxDecimals = 6

/** The decimals that all values of a column need, as few as are sensible for their size. */
export function decimalsFor(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const cap = largest >= 10 ? 2 : largest >= 1 ? 4 : maxDecimals
  return values.reduce((most, value) => Math.max(most, decimalsOf(value, cap)), 0)
}

function decimalsOf(value: number, cap: number): number {
  const [, digits = ''] = value.toFixed(cap).split('.')
  return digits.replace(/0+$/, '').length
}

const formats = new Map<number, Intl.NumberFormat>()

/** A number in US style with exactly these decimals. */
export function formatNumber(value: number, decimals: number): string {
  let format = formats.get(decimals)
  if (!format) {
    format = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    formats.set(decimals, format)
  }
  return format.format(value).replace('-', '−')
}

const scales = [
  [1e12, ' T'],
  [1e9, ' B'],
  [1e6, ' M'],
] as const

/** A figure as people say it, millions and more shortened: '416.2 B', '1,204', '7.46'. */
export function figureText(value: number): string {
  const [unit, suffix] = scales.find(([least]) => Math.abs(value) >= least) ?? [1, '']
  const scaled = value / unit
  return `${formatNumber(scaled, suffix === '' ? decimalsFor([scaled]) : Math.min(1, decimalsFor([scaled])))}${suffix}`
}

/** Headers as words, numbers with separators and the same decimals in a column. */
export function readableTable({ columns, rows }: ResultTable, maxRows: number): ReadableTable {
  const shown = rows.slice(0, maxRows)
  const linesAsRows = columns[0] === 'line' || columns[0] === 'field'
  const made = columns.map((name, place) => {
    const values = rows.map((row) => row[place]).filter((value) => value !== null && value !== undefined)
    const numbers = values.filter((value) => typeof value === 'number')
    const isNumber = columns[0] !== 'field' && values.length > 0 && numbers.length === values.length
    const decimals = linesAsRows ? null : decimalsFor(numbers)
    const format = (value: number, row: readonly unknown[]) =>
      columns[0] === 'field' || years.test(name) || (linesAsRows && years.test(String(row[0])))
        ? String(value)
        : formatNumber(value, decimals ?? decimalsFor([value]))
    return { name, header: visible(readableHeader(name)), isNumber, format }
  })
  return {
    columns: made.map(({ format: _, ...column }) => column),
    rows: shown.map((row) =>
      made.map(({ format }, place) => {
        const value = row[place]
        if (typeof value === 'number') return format(value, row)
        if (linesAsRows && place === 0 && typeof value === 'string') return visible(readableHeader(value))
        return cellText(value)
      }),
    ),
  }
}

const cellText = (cell: unknown): string =>
  cell === null || cell === undefined ? '–' : visible(typeof cell === 'object' ? JSON.stringify(cell) : String(cell))
