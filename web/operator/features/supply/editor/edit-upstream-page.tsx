import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../../../lib/http/api-error.ts'
import { Button } from '../../../../ui/button.tsx'
import { Card } from '../../../../ui/card.tsx'
import { PageHeader } from '../../../../ui/page-header.tsx'
import { QueryState } from '../../../../ui/query-state.tsx'
import { ProofWhenAsked } from '../../../layout/proof-when-asked.tsx'
import { useFresh } from '../../../lib/use-fresh.ts'
import { upstreamQuery } from '../queries.ts'
import { Editor } from './editor.tsx'
import type { Checked, Source } from './manifest.ts'
import { SourceCard } from './source-card.tsx'

/** The next version of an upstream, beginning with the one that is served. */
export function EditUpstreamPage({ id }: { id: string }) {
  const upstream = useQuery({ ...upstreamQuery(id), refetchInterval: false })
  const read = useFresh('POST /upstreams/check')
  const [found, setFound] = useState<{ source: Source; checked: Checked; count: number } | null>(null)
  const begin = (source: Source) => {
    const { manifest } = upstream.data!.shown
    // A description from elsewhere replaces the address of the one before.
    const given = source.from === 'address' ? { ...manifest, document: source.address } : manifest
    read.send({ source, manifest: given }, (checked) =>
      setFound((before) => ({ source, checked, count: (before?.count ?? 0) + 1 })),
    )
  }
  const error = read.error && messageOf(read.error, 'The description could not be read.')
  const shown = upstream.data?.shown
  return (
    <>
      <PageHeader
        title={`Edit ${id}`}
        about="Publishing creates a new version. You can publish an earlier version again at any time."
      />
      <QueryState
        query={upstream}
        loading="Loading the upstream"
        bars={['h-40']}
        failed="The upstream could not be loaded."
      />
      {shown && (
        <Card title="Description" about={`You are editing version ${shown.version}.`}>
          <div className="flex flex-wrap gap-2">
            <Button
              look="primary"
              busy={read.isPending}
              onClick={() => begin({ from: 'version', id, version: shown.version })}
            >
              Keep the description
            </Button>
            {shown.manifest.kind === 'mcp' && (
              <Button busy={read.isPending} onClick={() => begin({ from: 'server' })}>
                Read the server again
              </Button>
            )}
          </div>
          <p role="alert" className="mt-3 text-danger empty:hidden">
            {error}
          </p>
        </Card>
      )}
      {shown && shown.manifest.kind !== 'mcp' && !found && (
        <SourceCard busy={read.isPending} error={error} onRead={(source) => begin(source)} />
      )}
      {found && <Editor key={found.count} source={found.source} first={found.checked} isNew={false} />}
      <ProofWhenAsked of={read} />
    </>
  )
}
