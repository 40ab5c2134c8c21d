import type { ReactNode } from 'react'
import { downloadText } from '../../../lib/download.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import type { Data } from '../../lib/api.ts'
import { csvOf } from '../../lib/csv.ts'
import { count } from '../../lib/format.ts'

type Lists = Data<'GET /today/lists'>

/** The tools and the customers with the most calls and credits. */
export function TopTables({ lists: { tools, customers } }: { lists: Lists }) {
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      <TopCard
        title="Top tools"
        about="By calls in the last 24 hours. p95: 95 of 100 calls took at most this long in the server, rounded up by at most 25%."
        heads={['Tool', 'Calls', 'Failed', 'Credits', 'p95 (ms)']}
        rows={tools.map((tool) => [tool.name, tool.calls, tool.failed, tool.credits, tool.p95_ms])}
        fileName="top-tools.csv"
        empty="The tools that customers call appear here."
      />
      <TopCard
        title="Top customers"
        about="By credits charged in the last seven days, including today."
        heads={['Customer', 'Calls', 'Failed', 'Credits']}
        rows={customers.map((one) => [one.name, one.calls, one.failed, one.credits])}
        fileName="top-customers.csv"
        empty="Customers appear here after their first calls."
      />
    </div>
  )
}

interface TopCardProps {
  title: string
  about: ReactNode
  heads: readonly string[]
  rows: readonly (readonly [string, ...number[]])[]
  fileName: string
  empty: string
}

function TopCard({ title, about, heads, rows, fileName, empty }: TopCardProps) {
  return (
    <Card
      title={title}
      about={about}
      flush={rows.length > 0}
      aside={
        rows.length > 0 && (
          <Button size="small" onClick={() => downloadText(csvOf(heads, rows), fileName)}>
            Download CSV
          </Button>
        )
      }
    >
      {rows.length === 0 ? (
        <EmptyState title="No calls yet" about={empty} />
      ) : (
        <Table
          label={title}
          head={heads.map((head, index) => (
            <HeadCell key={head} align={index === 0 ? 'left' : 'right'}>
              {head}
            </HeadCell>
          ))}
        >
          {rows.map(([name, ...values], place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two customers may have one name
            <tr key={place}>
              <Cell className="max-w-[24ch] truncate" title={name}>
                {name}
              </Cell>
              {values.map((value, index) => (
                <Cell key={heads[index + 1]} align="right">
                  {count(value)}
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
