import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../../../lib/http/api-error.ts'
import { Button } from '../../../../ui/button.tsx'
import { Card } from '../../../../ui/card.tsx'
import { PageHeader } from '../../../../ui/page-header.tsx'
import { ProofWhenAsked } from '../../../layout/proof-dialog.tsx'
import { useFresh } from '../../../lib/use-fresh.ts'
import { useRouteId } from '../../../lib/use-route-id.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { upstreamQuery } from '../queries.ts'
import { Editor } from './editor.tsx'
import type { Checked, Manifest, Source } from './manifest.ts'
import { SourceCard } from './source-card.tsx'

/** Reads a description, and counts how often: each reading begins anew. */
function useReading() {
  const read = useFresh('POST /upstreams/check')
  const [found, setFound] = useState<{ source: Source; checked: Checked; count: number } | null>(null)
  const begin = (source: Source, manifest: Manifest) =>
    read.send({ source, manifest }, (checked) =>
      setFound((before) => ({ source, checked, count: (before?.count ?? 0) + 1 })),
    )
  return { read, found, begin, error: read.error && messageOf(read.error, 'The description could not be read.') }
}

/** From the description of an API to what customers can call and pay for. */
export function NewUpstreamPage() {
  const { read, found, begin, error } = useReading()
  return (
    <>
      <PageHeader
        title="Add an API"
        about="Read its description, set prices, and publish it. No code, and no changes to the API."
      />
      <SourceCard busy={read.isPending} error={error} onRead={begin} />
      {found && <Editor key={found.count} source={found.source} first={found.checked} isNew />}
      <ProofWhenAsked of={read} />
    </>
  )
}

/** The next version of an upstream, beginning with the one that is served. */
export function EditUpstreamPage() {
  const id = useRouteId()
  const upstream = useQuery({ ...upstreamQuery(id), refetchInterval: false })
  const { read, found, begin, error } = useReading()
  return (
    <>
      <PageHeader
        title={`Edit ${id}`}
        about="Publishing creates a new version. You can publish an earlier version again at any time."
      />
      <Loaded query={upstream} what="upstream" bars={['h-40']}>
        {({ shown: { version, manifest } }) => (
          <>
            <Card title="Description" about={`You are editing version ${version}.`}>
              <div className="flex flex-wrap gap-2">
                <Button
                  look="primary"
                  busy={read.isPending}
                  onClick={() => begin({ from: 'version', id, version }, manifest)}
                >
                  Keep the description
                </Button>
                {manifest.kind === 'mcp' && (
                  <Button busy={read.isPending} onClick={() => begin({ from: 'server' }, manifest)}>
                    Read the server again
                  </Button>
                )}
              </div>
              <p role="alert" className="mt-3 text-danger empty:hidden">
                {error}
              </p>
            </Card>
            {manifest.kind !== 'mcp' && !found && (
              <SourceCard
                busy={read.isPending}
                error={error}
                onRead={(source) =>
                  // A description from elsewhere replaces the address of the one before.
                  begin(source, source.from === 'address' ? { ...manifest, document: source.address } : manifest)
                }
              />
            )}
          </>
        )}
      </Loaded>
      {found && <Editor key={found.count} source={found.source} first={found.checked} isNew={false} />}
      <ProofWhenAsked of={read} />
    </>
  )
}
