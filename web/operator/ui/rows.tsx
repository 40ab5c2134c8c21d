import { clsx } from 'clsx'
import { ChevronDown } from '../../ui/icons/public.ts'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { type Column, type Columns, cellClass, isFigure, shownIn } from './columns.tsx'

export interface Sorting {
  by: string | null
  /** From the largest on. */
  down: boolean
  onSort: (head: string) => void
}

interface RowsProps<Row> {
  label: string
  columns: Columns<Row>
  rows: readonly Row[]
  keyOf?: (row: Row) => string | number
  sorting?: Sorting | undefined
  /** The name of the row of totals; missing: the list is not whole. */
  total?: string | undefined
}

/** Rows as columns say. Keys of the console move between them: see `useKeys`. */
export function Rows<Row>({ label, columns, rows, keyOf, sorting, total }: RowsProps<Row>) {
  const shown = columns.filter((column) => column !== false && !column.onlyCsv) as Column<Row>[]
  const align = (column: Column<Row>) => (isFigure(column) ? 'right' : 'left')
  const key = keyOf ?? ((row: Row) => (row as { id?: string | number }).id ?? rows.indexOf(row))
  return (
    <Table
      label={label}
      head={shown.map((column) => (
        <HeadCell key={column.head} align={align(column)} aria-sort={sortOf(column, sorting)}>
          {sorting && column.value ? <SortButton column={column} sorting={sorting} /> : column.head}
        </HeadCell>
      ))}
    >
      {rows.map((row) => (
        <tr key={key(row)} className="align-top focus-within:bg-hover">
          {shown.map((column) => (
            <Cell key={column.head} align={align(column)} className={cellClass(column)}>
              {shownIn(column, row)}
            </Cell>
          ))}
        </tr>
      ))}
      {total !== undefined && rows.length > 1 && shown.some((column) => column.total) && (
        <tr className="bg-sunken align-top font-strong">
          {shown.map((column, index) => (
            <Cell key={column.head} align={align(column)} className={cellClass(column)}>
              {index === 0 ? total : column.total?.(rows)}
            </Cell>
          ))}
        </tr>
      )}
    </Table>
  )
}

const sortOf = <Row,>({ head, value }: Column<Row>, sorting: Sorting | undefined) => {
  if (!sorting || !value || sorting.by !== head) return undefined
  return sorting.down ? 'descending' : 'ascending'
}

const SortButton = <Row,>({ column: { head }, sorting }: { column: Column<Row>; sorting: Sorting }) => (
  <button
    type="button"
    className="group inline-flex items-center gap-1 rounded-[4px] hover:text-ink pointer-coarse:min-h-11"
    onClick={() => sorting.onSort(head)}
  >
    {head}
    <ChevronDown
      aria-hidden="true"
      className={clsx(
        'size-3.5',
        sorting.by !== head && 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60',
        !sorting.down && 'rotate-180',
      )}
    />
  </button>
)
