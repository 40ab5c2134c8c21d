import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { utcTime } from '../../lib/format.ts'
import type { Shop } from './queries.ts'

/** Every version that was applied, from the console or from the command line. */
export function ShopVersionsCard({ shop: { versions } }: { shop: Shop }) {
  return (
    <Card
      title="Versions"
      about="A version never changes. Undo publishes the previous version again."
      flush={versions.length > 0}
    >
      {versions.length === 0 ? (
        <EmptyState title="No versions yet" about="Each time you apply the settings, a version appears here." />
      ) : (
        <Table
          label="Versions of the shop"
          head={
            <>
              <HeadCell>Version</HeadCell>
              <HeadCell>Name</HeadCell>
              <HeadCell>Applied (UTC)</HeadCell>
              <HeadCell>State</HeadCell>
            </>
          }
        >
          {versions.map(({ version, name, applied_at, served }) => (
            <tr key={version}>
              <Cell>{version}</Cell>
              <Cell>{name}</Cell>
              <Cell className="whitespace-nowrap">{utcTime(applied_at)}</Cell>
              <Cell>{served && <Badge tone="success">Published</Badge>}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
