import { lazy, Suspense, useState } from 'react'
import { Segments } from '../../../ui/segments.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { visible } from '../visible.ts'
import { type Block, ContentBlocks } from './content-blocks.tsx'
import { JsonBlock } from './json-block.tsx'
import { type ResultTable, readTable, seriesOf } from './result-table.ts'

const ResultChart = lazy(() => import('./result-chart.tsx'))
const maxRows = 200
type View = 'table' | 'chart' | 'content' | 'result' | 'json'

/** A result as formatted JSON and, where useful, as a table, a chart, its content blocks, or its inner result alone. */
export function ResultView({ data }: { data: unknown }) {
  const table = readTable(data)
  const series = table && seriesOf(table)
  const blocks = blocksOf(data)
  const structured = table ? undefined : (data as { structuredContent?: unknown } | null)?.structuredContent
  const [chosen, choose] = useState<View>()
  const views: { value: View; label: string }[] = [
    ...(table ? [{ value: 'table' as const, label: 'Table' }] : []),
    ...(series ? [{ value: 'chart' as const, label: 'Chart' }] : []),
    ...(blocks ? [{ value: 'content' as const, label: 'Content' }] : []),
    ...(structured !== undefined ? [{ value: 'result' as const, label: 'Result' }] : []),
    { value: 'json', label: 'JSON' },
  ]
  if (views.length === 1) return <JsonBlock data={data} />
  const view = chosen ?? (series && series.points.length > 10 ? 'chart' : views[0]!.value)
  return (
    <div className="mt-2">
      <Segments label="Result view" look="wrap" value={view} options={views} onChange={choose} />
      {view === 'json' && <JsonBlock data={data} />}
      {view === 'result' && <JsonBlock data={structured} />}
      {view === 'table' && table && <Rows table={table} />}
      {view === 'content' && blocks && <ContentBlocks blocks={blocks} />}
      {view === 'chart' && series && (
        <Suspense fallback={<Skeleton className="mt-2 h-56" />}>
          <ResultChart series={series} />
        </Suspense>
      )}
    </div>
  )
}

/** The content blocks of a result, unless its structured content repeats them. */
function blocksOf(data: unknown): Block[] | null {
  const { content, structuredContent } = (data ?? {}) as { content?: unknown; structuredContent?: unknown }
  if (!Array.isArray(content) || content.length === 0) return null
  const blocks = content.filter((block): block is Block => typeof block === 'object' && block !== null)
  const [first] = blocks
  const same = blocks.length === 1 && first?.type === 'text' && structuredContent !== undefined
  return same || blocks.length === 0 ? null : blocks
}

function Rows({ table: { columns, rows } }: { table: ResultTable }) {
  return (
    <div className="mt-2 max-h-80 overflow-auto rounded-control border border-line bg-surface">
      <Table
        label="Result"
        head={columns.map((column) => (
          <HeadCell key={column} className="px-3 py-1.5">
            {visible(column)}
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
  cell === null || cell === undefined ? '' : visible(typeof cell === 'object' ? JSON.stringify(cell) : String(cell))
