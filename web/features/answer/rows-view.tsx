import { clsx } from 'clsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { readableTable } from './format-table.ts'
import type { ResultTable } from './read-table.ts'

const maxRows = 200

/** The rows of a result, as people read them. */
export function RowsView({ table, className }: { table: ResultTable; className: string }) {
  const { columns, rows } = readableTable(table, maxRows)
  const isFacts = table.columns[0] === 'field'
  const align = (isNumber: boolean) => (isNumber ? 'right' : 'left')
  return (
    <div className={clsx('overflow-auto rounded-control border border-line bg-surface', className)}>
      <Table
        label="Result"
        landmark={false}
        head={columns.map(({ name, header, isNumber }) => (
          <HeadCell
            key={name}
            align={align(isNumber)}
            title={header === name ? undefined : name}
            className="px-3! py-1.5"
          >
            {header}
          </HeadCell>
        ))}
      >
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity and never change
          <tr key={index}>
            {columns.map(({ name, isNumber }, place) => (
              <Cell
                key={name}
                align={align(isNumber)}
                className={clsx('px-3! py-1!', isFacts ? 'min-w-24 break-words' : 'whitespace-nowrap')}
              >
                {row[place]}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
      {table.rows.length > maxRows && (
        <p className="px-3 py-2 text-small text-muted">
          The first {maxRows} of {table.rows.length} rows; JSON shows all.
        </p>
      )}
    </div>
  )
}
