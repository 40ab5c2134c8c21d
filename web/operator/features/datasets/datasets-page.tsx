import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { type Columns, col, summed, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { ConnectorsCard } from './connectors-card.tsx'
import { UploadCard } from './upload-card.tsx'

type Dataset = Data<'GET /datasets'>['datasets'][number]

/** The operator's own data: what is served, how fresh it is, and what servers fetch. */
export function DatasetsPage() {
  const query = useRead('GET /datasets')
  const isOwner = useRole('owner')
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
      <List
        title="Published"
        label="Datasets"
        about="A new version is served within two seconds. Stale: the source was not read within its promised time."
        query={query}
        what="datasets"
        rows={all}
        columns={columnsOf(isOwner, setChanging)}
        sorts
        empty={{
          title: 'No datasets yet',
          about:
            'Upload a CSV file of daily prices. Publish other data and larger files on the command line: npm run data.',
          action: upload,
        }}
      />
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

const columnsOf = (isOwner: boolean, onChange: (dataset: Dataset) => void): Columns<Dataset> => [
  {
    head: 'Name',
    value: ({ name }) => name,
    cell: ({ name, id, kind }) => (
      <Two
        main={<span className="font-strong">{name}</span>}
        below={
          <>
            <code className="font-mono">{id}</code>, {kind}
          </>
        }
      />
    ),
  },
  {
    head: 'Freshness',
    look: 'line',
    value: ({ retrieved_at }) => retrieved_at ?? '',
    cell: ({ stale, retrieved_at: at }) => (
      <Two
        main={stale ? <Badge tone="danger">Stale</Badge> : <Badge tone="success">Current</Badge>}
        below={at && `Read ${utcTime(at)} UTC`}
      />
    ),
  },
  summed('Rows', ({ rows }) => rows),
  col('Dates', 'line', ({ first, last }) => `${first} to ${last}`),
  {
    head: 'Version',
    look: 'line',
    value: ({ written_at }) => written_at,
    cell: ({ written_at, version }) => (
      <Two main={`${utcTime(written_at)} UTC`} below={<code className="font-mono">{version.slice(-8)}</code>} />
    ),
  },
  col('Readable by', ({ plans, redistribution }) =>
    plans.length > 0 ? plans.join(', ') : (readers[redistribution] ?? redistribution),
  ),
  isOwner &&
    col('Versions', (dataset) =>
      dataset.versions.length > 1 ? (
        <Button size="small" aria-label={`Change the version of ${dataset.name}`} onClick={() => onChange(dataset)}>
          Change
        </Button>
      ) : (
        '–'
      ),
    ),
]

/** Serves another version that is kept. */
function VersionDialog({
  dataset: { id, name, version, versions },
  onClose,
}: {
  dataset: Dataset
  onClose: () => void
}) {
  const others = versions.filter((one) => one !== version)
  const [chosen, setChosen] = useState(others[0]!)
  return (
    <ActDialog
      line="POST /datasets/{id}/publish"
      params={{ id }}
      title={`Change the version of ${name}`}
      about={`Customers get it within two seconds instead of version ${version}. The price does not change.`}
      submit="Publish"
      busy="Publishing"
      input={() => ({ version: chosen })}
      onClose={onClose}
    >
      <ChoiceField
        label="Version"
        value={chosen}
        options={Object.fromEntries(others.map((one) => [one, one]))}
        onChange={setChosen}
      />
    </ActDialog>
  )
}
