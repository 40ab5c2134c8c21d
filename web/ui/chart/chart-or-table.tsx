import { type ReactNode, Suspense, useState } from 'react'
import { downloadText } from '../../lib/download.ts'
import { Button } from '../button.tsx'
import type { Icon } from '../icons/icon.tsx'
import { Download, Table2 } from '../icons/public.ts'
import { Cell, HeadCell, Table } from '../table.tsx'

interface ChartOrTableProps {
  /** Names the table for screen readers. */
  label: string
  /** Returns from the table to the chart. */
  chartIcon: Icon
  chart: ReactNode
  /** Shown until the chart's code has loaded. */
  waiting: ReactNode
  /** The first column names a row; the others are numbers. */
  heads: readonly string[]
  /** The cells as shown, oldest first. The first cell of a row is unique. */
  rows: readonly (readonly string[])[]
  csv: string
  fileName: string
  /** At the end of the line of its actions. */
  children?: ReactNode
}

/** A chart with its data as a table, newest first, and as a CSV file. */
export function ChartOrTable({ label, chartIcon, chart, waiting, heads, rows, ...rest }: ChartOrTableProps) {
  const [asTable, setAsTable] = useState(false)
  const Icon = asTable ? chartIcon : Table2
  const align = (column: number) => (column === 0 ? 'left' : 'right')
  return (
    <>
      {asTable ? (
        <div className="max-h-80 overflow-y-auto rounded-control border border-line">
          <Table
            label={label}
            head={heads.map((head, column) => (
              <HeadCell key={head} align={align(column)}>
                {head}
              </HeadCell>
            ))}
          >
            {rows.toReversed().map((row) => (
              <tr key={row[0]}>
                {row.map((cell, column) => (
                  <Cell key={heads[column]} align={align(column)}>
                    {cell}
                  </Cell>
                ))}
              </tr>
            ))}
          </Table>
        </div>
      ) : (
        <Suspense fallback={waiting}>{chart}</Suspense>
      )}
      <div className="mt-2 -mb-2 -ml-2.5 flex min-h-8 flex-wrap items-center gap-1">
        <Button look="quiet" size="small" onClick={() => setAsTable(!asTable)}>
          <Icon aria-hidden="true" className="size-4" />
          {asTable ? 'View as chart' : 'View as table'}
        </Button>
        <Button look="quiet" size="small" onClick={() => downloadText(rest.csv, rest.fileName)}>
          <Download aria-hidden="true" className="size-4" />
          Download CSV
        </Button>
        {rest.children}
      </div>
    </>
  )
}
