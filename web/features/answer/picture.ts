import type { Comparison } from './comparison.ts'
import { dateNames } from './date-names.ts'
import { decimalsFor, figureText, formatNumber, nameAndUnit } from './format-table.ts'
import { isPercent } from './headline.ts'
import { type Bar, barsOf, type Meta, type ResultTable, type Series, seriesOf, textOf } from './read-table.ts'
import { type Statement, statementOf } from './statement.ts'

/** A chart of an answer, before it has a size. */
export interface Picture {
  kind: 'candles' | 'lines' | 'bars'
  /** Its name among the views of an answer. */
  view: string
  /** What is drawn, such as 'VIX close', and its unit. */
  title: string
  unit: string | null
  /** Oldest first. */
  points: Point[]
}

export interface Point {
  /** Its place from left to right: milliseconds, or an index. */
  at: number
  /** Its date below the axis, and in full. */
  label: string
  name: string
  /** One for each line; of a candle open, high, low and close. */
  values: number[]
  /** The values in words. */
  said: string
}

/** The charts of an answer, the most telling one first; none if nothing in it can be drawn. */
export function picturesOf(table: ResultTable, meta: Meta): Picture[] {
  const statement = statementOf(table)
  if (statement) return statement.periods.length < 2 ? [] : [statementPicture(statement, meta)]
  const [series, bars] = [seriesOf(table), barsOf(table)]
  return [...(bars ? [candles(bars, meta)] : []), ...(series ? [line(series, meta, bars ? 'Line' : 'Chart')] : [])]
}

const titled = (meta: Meta, words: string): string => {
  const symbol = textOf(meta.symbol) ?? textOf(meta.series_id)
  const column = nameAndUnit(words).words
  if (symbol === null) return column
  return words === 'value' ? symbol : `${symbol} ${column.toLowerCase()}`
}
const unitOf = (meta: Meta, column = '') => textOf(meta.unit) ?? textOf(meta.currency) ?? nameAndUnit(column).unit

const statementPicture = ({ line: name, periods }: Statement, meta: Meta): Picture => ({
  kind: 'bars',
  view: 'Chart',
  title: titled(meta, name),
  unit: unitOf(meta),
  points: periods.map(({ name: period, value }, at) => ({
    at,
    label: period,
    name: period,
    values: [value],
    said: figureText(value),
  })),
})

function candles(bars: readonly Bar[], meta: Meta): Picture {
  const nameOf = dateNames(bars.map(({ at }) => at))
  const decimals = decimalsFor(bars.flatMap(({ open, high, low, close }) => [open, high, low, close]))
  return {
    kind: 'candles',
    view: 'Candles',
    title: titled(meta, 'price'),
    unit: unitOf(meta),
    points: bars.map((bar, index) => {
      const values = [bar.open, bar.high, bar.low, bar.close]
      const [open, high, low, close] = values.map((value) => formatNumber(value, decimals))
      const said = `open ${open}, high ${high}, low ${low}, close ${close}`
      // Trading days side by side: nothing is drawn for weekends.
      return { at: index, ...nameOf(bar.at), values, said }
    }),
  }
}

function line({ name, points }: Series, meta: Meta, view: string): Picture {
  const nameOf = dateNames(
    points.map(({ at }) => at),
    meta.frequency,
  )
  const needed = decimalsFor(points.map(({ value }) => value))
  const decimals = isPercent(unitOf(meta)) ? Math.min(2, needed) : needed
  return {
    kind: 'lines',
    view,
    title: titled(meta, name),
    unit: unitOf(meta, name),
    points: points.map(({ at, value }) => ({
      at: at.getTime(),
      ...nameOf(at),
      values: [value],
      said: formatNumber(value, decimals),
    })),
  }
}

/** Several symbols that start at 100; null if only their ends are known. */
export function comparisonPicture({ members }: Comparison): Picture | null {
  const dates = members[0]?.points.map(({ at }) => at) ?? []
  if (dates.length === 0) return null
  const nameOf = dateNames(dates)
  return {
    kind: 'lines',
    view: 'Chart',
    title: members.map(({ symbol }) => symbol).join(' and '),
    unit: 'start = 100',
    points: dates.map((at, index) => ({
      at: at.getTime(),
      ...nameOf(at),
      values: members.map(({ points }) => points[index]!.value),
      said: members.map(({ symbol, points }) => `${symbol} ${formatNumber(points[index]!.value, 1)}`).join(', '),
    })),
  }
}
