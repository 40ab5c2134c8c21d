import type { ReactNode } from 'react'
import { count, money, utcTime } from '../lib/format.ts'

const looks = {
  figure: 'whitespace-nowrap',
  line: 'whitespace-nowrap',
  code: 'font-mono text-small',
  rest: 'w-full min-w-[20ch]',
  prose: 'min-w-[20ch] max-w-[44ch] text-pretty [overflow-wrap:anywhere]',
  name: 'min-w-[18ch] max-w-[34ch]',
} as const

export interface Column<Row> {
  head: string
  /** What is shown; missing: the value. */
  cell?: (row: Row) => ReactNode
  /** What the list is sorted by, and what its CSV file has. */
  value?: (row: Row) => string | number
  look?: keyof typeof looks
  /** Its name in the CSV file, if not the head. */
  csv?: string
  onlyCsv?: true
  /** Below the column. */
  total?: (rows: readonly Row[]) => ReactNode
}

/** Columns of a list; what a role does not see is false. */
export type Columns<Row> = readonly (Column<Row> | false)[]

export const cellClass = <Row,>({ look }: Column<Row>): string => (look ? looks[look] : '')
export const isFigure = <Row,>({ look }: Column<Row>): boolean => look === 'figure'

/** The content of a cell. A number has its thousands apart. */
export function shownIn<Row>({ cell, value }: Column<Row>, row: Row): ReactNode {
  if (cell) return cell(row)
  const given = value?.(row)
  return typeof given === 'number' ? count(given) : given
}

type Given<Row> = [cell: (row: Row) => ReactNode] | [look: keyof typeof looks, cell: (row: Row) => ReactNode]

/** What is only shown. */
export const col = <Row,>(head: string, ...given: Given<Row>): Column<Row> =>
  given.length === 1 ? { head, cell: given[0] } : { head, look: given[0], cell: given[1] }

type More<Row> = Partial<Omit<Column<Row>, 'head' | 'value' | 'look'>>

/** A number, to the right. */
export const figure = <Row,>(head: string, value: (row: Row) => number, more?: More<Row>): Column<Row> => ({
  head,
  value,
  look: 'figure',
  ...more,
})

/** The same, with its sum below. */
export const summed = <Row,>(head: string, value: (row: Row) => number): Column<Row> =>
  figure(head, value, { total: (rows) => count(rows.reduce((sum, row) => sum + value(row), 0)) })

/** Money, and below it the sum of each currency. */
export function amount<Row>(
  head: string,
  cents: (row: Row) => number,
  currency: (row: Row) => string = () => 'usd',
  more?: More<Row>,
): Column<Row> {
  const total = (rows: readonly Row[]) =>
    [...Map.groupBy(rows, currency)].map(([one, own]) => (
      <p key={one}>
        {money(
          own.reduce((sum, row) => sum + cents(row), 0),
          one,
        )}
      </p>
    ))
  return figure(head, cents, { cell: (row) => money(cents(row), currency(row)), total, ...more })
}

/** A moment in UTC. `none` stands where there is none. */
export const time = <Row,>(head: string, at: (row: Row) => string | null, none = 'Never'): Column<Row> => ({
  head,
  value: (row) => at(row) ?? '',
  cell: (row) => {
    const moment = at(row)
    return moment === null ? <span className="text-muted">{none}</span> : utcTime(moment)
  },
  look: 'line',
})

/** A line, and a smaller one below it. */
export const Two = ({ main, below }: { main: ReactNode; below?: ReactNode }) => (
  <>
    {main}
    {below && <p className="text-small text-muted [overflow-wrap:anywhere]">{below}</p>}
  </>
)

/** A value, or quietly what stands for none. */
export const shownOr = (value: ReactNode, none: string): ReactNode =>
  value ?? <span className="text-muted">{none}</span>
