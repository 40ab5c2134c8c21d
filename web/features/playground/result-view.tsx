import { lazy, Suspense, useState } from 'react'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { type ResultTable, readTable, seriesOf } from './result-table.ts'

const ResultChart = lazy(() => import('./result-chart.tsx'))
const maxRows = 200
type View = 'table' | 'chart' | 'json'

/** A result as formatted JSON, and where it holds rows as a table or, where those have dates, as a chart. */
export function ResultView({ data }: { data: unknown }) {
  const table = readTable(data)
  const series = table && seriesOf(table)
  const [chosen, choose] = useState<View>()
  if (!table) return <Json data={data} />
  const views: { value: View; label: string }[] = [
    { value: 'table', label: 'Table' },
    ...(series ? [{ value: 'chart' as const, label: 'Chart' }] : []),
    { value: 'json', label: 'JSON' },
  ]
  const view = chosen ?? (series && table.rows.length > 10 ? 'chart' : 'table')
  return (
    <div className="mt-2">
      <Segments label="View of the result" look="wrap" value={view} options={views} onChange={choose} />
      {view === 'json' && <Json data={data} />}
      {view === 'table' && <Rows table={table} />}
      {view === 'chart' && series && (
        <Suspense fallback={<Skeleton className="mt-2 h-56" />}>
          <ResultChart series={series} />
        </Suspense>
      )}
    </div>
  )
}

function Json({ data }: { data: unknown }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="mt-2 max-h-80 overflow-auto rounded-control border border-line bg-sunken p-3 font-mono text-small leading-5 -outline-offset-2"
    >
      {JSON.stringify(data, null, 2)}
    </pre>
  )
}

function Rows({ table: { columns, rows } }: { table: ResultTable }) {
  return (
    <div className="mt-2 max-h-80 overflow-auto rounded-control border border-line bg-surface">
      <Table
        label="Result"
        head={columns.map((column) => (
          <HeadCell key={column} className="px-3 py-1.5">
            {column}
          </HeadCell>
        ))}
      >
        {rows.slice(0, maxRows).map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity and never change
          <tr key={index}>
            {columns.map((column, place) => (
              <Cell key={column} className="px-3 py-1 whitespace-nowrap">
                {shown(row[place])}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
      {rows.length > maxRows && (
        <p className="px-3 py-2 text-small text-muted">
          The first {maxRows} of {rows.length} rows; JSON shows all.
        </p>
      )}
    </div>
  )
}

const shown = (cell: unknown) =>
  cell === null || cell === undefined ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
