import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { utcTime } from '../../lib/format.ts'
import { DifferenceList } from './difference-list.tsx'
import { differences } from './field-text.ts'
import type { ProductDetail } from './product-data.ts'

/** What was published here, newest first, each with its difference to the version before. */
export function ProductHistory({ detail: { versions } }: { detail: ProductDetail }) {
  return (
    <Card
      title="Versions"
      about="What was published from this console. Changes made directly at the payment provider are not listed."
      flush={versions.length > 0}
    >
      {versions.length === 0 ? (
        <EmptyState title="No versions yet" about="Each time this product is published, a version appears here." />
      ) : (
        <Table
          label="Versions"
          head={
            <>
              <HeadCell>Version</HeadCell>
              <HeadCell>Time (UTC)</HeadCell>
              <HeadCell>Operator</HeadCell>
              <HeadCell>Change</HeadCell>
              <HeadCell>Reason</HeadCell>
            </>
          }
        >
          {versions.map(({ version, fields, published_at, published_by, reason }, at) => (
            <tr key={version} className="align-top">
              <Cell>{version}</Cell>
              <Cell className="whitespace-nowrap">{utcTime(published_at)}</Cell>
              <Cell>{published_by}</Cell>
              <Cell className="min-w-72">
                {fields === null ? (
                  'Archived'
                ) : (
                  <DifferenceList changes={differences(versions[at + 1]?.fields ?? null, fields)} />
                )}
              </Cell>
              <Cell className="max-w-[40ch] text-pretty">{reason}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
