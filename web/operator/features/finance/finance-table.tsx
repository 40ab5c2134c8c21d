import type { ReactNode } from 'react'
import { downloadText } from '../../../lib/download.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { csvOf } from '../../lib/csv.ts'

interface FinanceTableProps {
  title: string
  about: ReactNode
  heads: readonly string[]
  /** How many of the first columns are names; the others are figures. */
  names: number
  /** The cells as shown, and as they are in the CSV file, where money is in minor units. */
  rows: readonly { key: string; shown: readonly string[]; raw: readonly (string | number)[] }[]
  /** The heads of the CSV file, if they differ. */
  csvHeads?: readonly string[]
  fileName: string
  empty: { title: string; about: string }
}

/** Figures as a table, and as a CSV file. */
export function FinanceTable({
  title,
  about,
  heads,
  names,
  rows,
  csvHeads = heads,
  fileName,
  empty,
}: FinanceTableProps) {
  return (
    <Card
      title={title}
      about={about}
      flush={rows.length > 0}
      aside={
        rows.length > 0 && (
          <Button
            size="small"
            aria-label={`Download CSV: ${title}`}
            onClick={() =>
              downloadText(
                csvOf(
                  csvHeads,
                  rows.map(({ raw }) => raw),
                ),
                fileName,
              )
            }
          >
            Download CSV
          </Button>
        )
      }
    >
      {rows.length === 0 ? (
        <EmptyState {...empty} />
      ) : (
        <Table
          label={title}
          head={heads.map((head, index) => (
            <HeadCell key={head} align={index < names ? 'left' : 'right'}>
              {head}
            </HeadCell>
          ))}
        >
          {rows.map(({ key, shown }) => (
            <tr key={key}>
              {shown.map((cell, index) => (
                <Cell
                  key={heads[index]}
                  align={index < names ? 'left' : 'right'}
                  className={index < names ? 'max-w-[28ch] truncate' : 'whitespace-nowrap'}
                  title={index < names ? cell : undefined}
                >
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
