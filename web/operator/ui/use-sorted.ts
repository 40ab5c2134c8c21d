import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Column } from './columns.tsx'
import type { Sorting } from './rows.tsx'

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true })

/** Rows in the order that the address keeps as `sort`: the head of a column, with a minus before it from the largest on. */
export function useSorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorts: boolean | undefined) {
  const { sort }: { sort?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  if (!sorts) return { rows, sorting: undefined }
  const down = sort?.startsWith('-') ?? false
  const by = sort?.slice(down ? 1 : 0) ?? null
  const value = columns.find(({ head }) => head === by)?.value
  const sorting: Sorting = {
    by,
    down,
    onSort: (head) => {
      // A number first from the largest on, a name from A on; a third press brings the list's own order back.
      const first = columns.find((column) => column.head === head)?.look === 'figure'
      const next = by !== head ? first : down === first ? !first : null
      const order = next === null ? undefined : `${next ? '-' : ''}${head}`
      void navigate({ to: '.', search: ((kept: object) => ({ ...kept, sort: order })) as never, replace: true })
    },
  }
  const sorted = value ? rows.toSorted((a, b) => compare(value(a), value(b)) * (down ? -1 : 1)) : rows
  return { rows: sorted, sorting }
}
