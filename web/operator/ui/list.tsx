import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { downloadText } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Download } from '../../ui/icons/public.ts'
import { EmptyState } from '../../ui/states.tsx'
import { csvOf } from '../lib/csv.ts'
import type { Column, Columns } from './columns.tsx'
import { Loaded } from './loaded.tsx'
import { Rows } from './rows.tsx'
import { useSorted } from './use-sorted.ts'

type Query = Pick<UseQueryResult<unknown>, 'data' | 'error' | 'isFetching' | 'refetch'> & Partial<Paged>
interface Paged {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

interface ListProps<Row> {
  title: string
  about?: ReactNode
  /** Names the table, if not the title. */
  label?: string
  /** Where the rows come from, if the page does not wait for them itself. */
  query?: Query
  /** The rows in words: `prices`. */
  what?: string
  rows: readonly Row[]
  columns?: Columns<Row>
  /** In place of columns: a table of another form. */
  children?: (rows: readonly Row[]) => ReactNode
  keyOf?: (row: Row) => string | number
  empty: { title?: string; about: ReactNode; action?: ReactNode }
  /** The rows can be sorted by what columns have a value: for one list of a page, which is loaded whole. */
  sorts?: boolean
  /** A file with the values of the columns, in which money is in minor units. */
  csv?: string
  aside?: ReactNode
  /** Between the title and the rows. */
  filters?: ReactNode
  footer?: ReactNode
  className?: string
}

/** A card with a list: its filters, its rows with totals, the next page, and what it shows while it loads or is empty. */
export function List<Row>({
  title,
  label = title,
  query,
  what = 'list',
  columns = [],
  children,
  keyOf,
  empty,
  csv,
  sorts,
  aside,
  filters,
  ...rest
}: ListProps<Row>) {
  const known = columns.filter((column) => column !== false)
  const { rows, sorting } = useSorted(rest.rows, known, sorts)
  const isThere = rows.length > 0
  const { about, footer, className } = rest
  return (
    <Card
      title={title}
      about={about}
      footer={footer}
      className={className}
      flush={isThere || filters !== undefined}
      aside={
        csv && isThere ? (
          <div className="flex flex-wrap justify-end gap-2">
            {aside}
            <Button
              size="small"
              aria-label={`Download CSV: ${title}`}
              onClick={() => downloadText(csvOfRows(known, rows), csv)}
            >
              <Download aria-hidden="true" className="size-4" />
              Download CSV
            </Button>
          </div>
        ) : (
          aside
        )
      }
    >
      {filters}
      {query && (
        <Loaded query={query} what={what} className={filters === undefined ? undefined : 'space-y-3 px-5 pb-4'} />
      )}
      {!isThere && (!query || query.data !== undefined) && (
        <EmptyState title={empty.title ?? 'Nothing yet'} about={empty.about} action={empty.action} />
      )}
      {isThere &&
        (children?.(rows) ?? (
          <Rows
            label={label}
            columns={columns}
            rows={rows}
            sorting={sorting}
            {...(keyOf && { keyOf })}
            total={query?.hasNextPage ? `Total of the ${rows.length} shown` : 'Total'}
          />
        ))}
      {query?.hasNextPage && (
        <div className="px-5 py-3">
          <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage?.()}>
            Show older {what}
          </Button>
        </div>
      )}
    </Card>
  )
}

const csvOfRows = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): string => {
  const kept = columns.filter(({ value }) => value)
  return csvOf(
    kept.map(({ head, csv = head }) => csv),
    rows.map((row) => kept.map(({ value }) => value!(row))),
  )
}
