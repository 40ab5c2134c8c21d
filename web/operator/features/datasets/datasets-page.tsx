import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { sessionQuery } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { ConnectorsCard } from './connectors-card.tsx'
import { type Dataset, datasetsQuery } from './queries.ts'
import { UploadCard } from './upload-card.tsx'
import { VersionDialog } from './version-dialog.tsx'

/** The operator's own data: what is served, how fresh it is, and what servers fetch. */
export function DatasetsPage() {
  const query = useQuery(datasetsQuery)
  const isOwner = useQuery(sessionQuery).data?.role === 'owner'
  const [uploading, setUploading] = useState(false)
  const [changing, setChanging] = useState<Dataset | null>(null)
  const all = query.data?.datasets ?? []
  const upload = isOwner && !uploading && (
    <Button look="primary" onClick={() => setUploading(true)}>
      Upload prices
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Datasets"
        about="Your own data, served by the market data tools. The demo data is not listed."
        action={all.length > 0 && upload}
      />
      {uploading && <UploadCard onClose={() => setUploading(false)} />}
      <Card
        title="Published"
        about="A new version is served within two seconds. Stale: the source was not read within its promised time."
        flush={all.length > 0}
      >
        <QueryState
          query={query}
          loading="Loading the datasets"
          bars={['h-9', 'h-9']}
          failed="The datasets could not be loaded."
        />
        {query.data && all.length === 0 && (
          <EmptyState
            title="No datasets yet"
            about="Upload a CSV file of daily prices. Publish other data and larger files on the command line: npm run data."
            action={upload}
          />
        )}
        {all.length > 0 && (
          <Table
            label="Datasets"
            head={
              <>
                <HeadCell>Name</HeadCell>
                <HeadCell>Freshness</HeadCell>
                <HeadCell align="right">Rows</HeadCell>
                <HeadCell>Dates</HeadCell>
                <HeadCell>Version</HeadCell>
                <HeadCell>Readable by</HeadCell>
                {isOwner && <HeadCell align="right">Versions</HeadCell>}
              </>
            }
          >
            {all.map((one) => (
              <Row key={one.id} dataset={one} isOwner={isOwner} onChange={() => setChanging(one)} />
            ))}
          </Table>
        )}
      </Card>
      {query.data && <ConnectorsCard connectors={query.data.connectors} isOwner={isOwner} />}
      {changing && <VersionDialog dataset={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

const readers: Record<string, string> = {
  open: 'Everyone',
  internal: 'All customers',
  delayed: 'All customers, delayed',
}

function Row({ dataset, isOwner, onChange }: { dataset: Dataset; isOwner: boolean; onChange: () => void }) {
  const { id, name, kind, stale, retrieved_at, rows, first, last, version, written_at, plans, redistribution } = dataset
  return (
    <tr className="align-top">
      <Cell>
        <span className="font-strong">{name}</span>
        <p className="text-small text-muted">
          <code className="font-mono">{id}</code>, {kind}
        </p>
      </Cell>
      <Cell className="whitespace-nowrap">
        {stale ? <Badge tone="danger">Stale</Badge> : <Badge tone="success">Current</Badge>}
        {retrieved_at && <p className="text-small text-muted">Read {utcTime(retrieved_at)} UTC</p>}
      </Cell>
      <Cell align="right">{count(rows)}</Cell>
      <Cell className="whitespace-nowrap">
        {first} to {last}
      </Cell>
      <Cell className="whitespace-nowrap">
        {utcTime(written_at)} UTC
        <p className="font-mono text-small text-muted">{version.slice(-8)}</p>
      </Cell>
      <Cell>{plans.length > 0 ? plans.join(', ') : (readers[redistribution] ?? redistribution)}</Cell>
      {isOwner && (
        <Cell align="right">
          {dataset.versions.length > 1 ? (
            <Button size="small" aria-label={`Change the version of ${name}`} onClick={onChange}>
              Change
            </Button>
          ) : (
            '–'
          )}
        </Cell>
      )}
    </tr>
  )
}
