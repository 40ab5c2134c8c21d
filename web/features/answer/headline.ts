import { dayOf, periodOf } from './date-names.ts'
import { decimalsFor, figureText, formatNumber, nameAndUnit, readableHeader } from './format-table.ts'
import { type Meta, type ResultTable, type Series, seriesOf, textOf as text, valueColumns } from './read-table.ts'
import { type Statement, statementOf } from './statement.ts'

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

/**
 * The headlines of a result: one for values over time or for statements, one for each symbol of a quote; none for other
 * tables.
 */
export function headlinesOf(table: ResultTable, meta: Meta): Headline[] {
  if (table.columns.includes('close') && table.columns.includes('previous_close')) return quotes(table)
  if (table.columns.includes('rate') && table.columns.includes('result')) return conversions(table)
  const statement = statementOf(table)
  if (statement) return [latestPeriod(statement, meta)]
  const series = seriesOf(table)
  return series ? [latestValue(series, meta)] : []
}

/** Without a symbol, the name of the column says what the value is. */
function latestValue({ name, points }: Series, meta: Meta): Headline {
  const [first, last] = [points[0]!, points.at(-1)!]
  const column = nameAndUnit(name)
  const unit = text(meta.unit) ?? text(meta.currency) ?? column.unit
  const needed = decimalsFor([first.value, last.value])
  // What an operator's own API counts, such as degrees, is no price: 4.5, and no percentage of it.
  const isPrice = text(meta.symbol) !== null || text(meta.series_id) !== null || valueColumns.includes(name)
  // 62.50, as prices and percentages are written.
  const decimals = (needed === 1 && isPrice) || (needed > 2 && isPercent(unit)) ? 2 : needed
  const change = changeOf(last.value, first.value, decimals, unit, `since ${periodOf(first.at, meta.frequency)}`)
  return {
    symbol: text(meta.symbol) ?? text(meta.series_id) ?? column.words,
    name: text(meta.name),
    value: formatNumber(last.value, decimals),
    unit,
    date: iso(last.at),
    dateText: periodOf(last.at, meta.frequency),
    change: isPrice ? change : { ...change, percent: null },
  }
}

function latestPeriod({ line, periods }: Statement, meta: Meta): Headline {
  const [before, last] = [periods.at(-2), periods.at(-1)!]
  const change = before && changeOf(last.value, before.value, 0, null, `since ${before.name}`)
  return {
    symbol: text(meta.symbol) ?? readableHeader(line),
    name: text(meta.name),
    value: figureText(last.value),
    unit: text(meta.currency),
    date: last.end,
    dateText: `${readableHeader(line)}, ${last.name}`,
    change: change ? { ...change, amount: figureText(Math.abs(last.value - before.value)) } : null,
  }
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
  const percent = isPercent(unit) || before <= 0 ? null : formatNumber(Math.abs((100 * change) / before), 2)
  const amount = formatNumber(Math.abs(change), decimals)
  return {
    direction: change > 0 ? 'up' : change < 0 ? 'down' : 'unchanged',
    amount: isPercent(unit) ? `${amount} points` : amount,
    percent,
    since,
  }
}

export const isPercent = (unit: string | null) => /^percent/i.test(unit ?? '')
const iso = (at: Date) => at.toISOString().slice(0, 10)
