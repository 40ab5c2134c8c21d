import { decimalsFor, formatNumber } from './format-table.ts'
import { type ResultTable, seriesOf } from './result-table.ts'

/** The headline of a result: a name, its last value, and its change. */
export interface Headline {
  symbol: string
  name: string | null
  value: string
  unit: string | null
  /** The date of the value, YYYY-MM-DD, and as people read it. */
  date: string | null
  dateText: string
  change: Change | null
}

export interface Change {
  direction: 'up' | 'down' | 'unchanged'
  /** Without a sign. */
  amount: string
  percent: string | null
  /** The basis of the comparison, such as 'since Aug 19, 2025'. */
  since: string
}

interface Meta {
  symbol?: unknown
  series_id?: unknown
  name?: unknown
  unit?: unknown
  frequency?: unknown
  currency?: unknown
}

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A date as people read it; any other text unchanged. */
export function dayOf(text: string): string {
  const at = new Date(text)
  return Number.isFinite(at.getTime()) ? dayFormat.format(at) : text
}

const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A period that is dated by its first day: 'Jun 2026', 'Q2 2026', '2026'. */
function periodOf(day: string, frequency: unknown): string {
  const [year, month] = day.split('-')
  if (frequency === 'monthly') return monthFormat.format(new Date(day))
  if (frequency === 'quarterly') return `Q${Math.ceil(Number(month) / 3)} ${year}`
  return frequency === 'annual' ? year! : dayOf(day)
}

/** The headlines of a result: one for values over time, one for each symbol of a quote; none for other tables. */
export function headlinesOf(table: ResultTable, meta: Meta): Headline[] {
  if (table.columns.includes('close') && table.columns.includes('previous_close')) return quotes(table)
  if (table.columns.includes('rate') && table.columns.includes('result')) return conversions(table)
  const symbol = text(meta.symbol) ?? text(meta.series_id)
  const series = symbol === null ? null : seriesOf(table)
  if (!series || symbol === null) return []
  const [first, last] = [series.points[0]!, series.points.at(-1)!]
  const unit = text(meta.unit) ?? text(meta.currency)
  const needed = decimalsFor([first.value, last.value])
  // 62.50, as prices are written.
  const decimals = needed === 1 ? 2 : needed
  return [
    {
      symbol,
      name: text(meta.name),
      value: formatNumber(last.value, decimals),
      unit,
      date: iso(last.at),
      dateText: periodOf(iso(last.at), meta.frequency),
      change: changeOf(last.value, first.value, decimals, unit, `since ${periodOf(iso(first.at), meta.frequency)}`),
    },
  ]
}

const quotes = ({ columns, rows }: ResultTable): Headline[] =>
  rows.flatMap((row) => {
    const at = (name: string) => row[columns.indexOf(name)]
    const [close, previous] = [at('close'), at('previous_close')]
    if (typeof close !== 'number') return []
    const known = typeof previous === 'number' ? [close, previous] : [close]
    const decimals = Math.max(decimalsFor(known), 2)
    return [
      {
        symbol: String(at('symbol')),
        name: null,
        value: formatNumber(close, decimals),
        unit: text(at('currency')),
        date: text(at('date')),
        dateText: dayOf(text(at('date')) ?? ''),
        change:
          typeof previous === 'number'
            ? changeOf(close, previous, decimals, text(at('currency')), 'since the previous close')
            : null,
      },
    ]
  })

const conversions = ({ columns, rows }: ResultTable): Headline[] =>
  rows.map((row) => {
    const at = (name: string) => String(row[columns.indexOf(name)] ?? '')
    // Decimal text, with as many decimals as the currency has.
    const decimals = at('result').split('.')[1]?.length ?? 0
    return {
      symbol: `${at('amount')} ${at('from')}`,
      name: `1 ${at('from')} = ${at('rate')} ${at('to')}`,
      value: formatNumber(Number(at('result')), decimals),
      unit: at('to'),
      date: at('rate_date') || null,
      dateText: dayOf(at('rate_date')),
      change: null,
    }
  })

function changeOf(value: number, before: number, decimals: number, unit: string | null, since: string): Change {
  const change = value - before
  // Percentages change in points. With a base of zero or below, a percentage means nothing.
  const isPercent = /^percent/i.test(unit ?? '')
  const percent = isPercent || before <= 0 ? null : formatNumber(Math.abs((100 * change) / before), 2)
  const amount = formatNumber(Math.abs(change), decimals)
  return {
    direction: change > 0 ? 'up' : change < 0 ? 'down' : 'unchanged',
    amount: isPercent ? `${amount} points` : amount,
    percent,
    since,
  }
}

const iso = (at: Date) => at.toISOString().slice(0, 10)
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
