import { useState } from 'react'
import { messageOf } from '../../../../lib/http/api-error.ts'
import { PageHeader } from '../../../../ui/page-header.tsx'
import { ProofWhenAsked } from '../../../layout/proof-when-asked.tsx'
import { useFresh } from '../../../lib/use-fresh.ts'
import { Editor } from './editor.tsx'
import type { Checked, Source } from './manifest.ts'
import { SourceCard } from './source-card.tsx'

/** From the description of an API to what customers can call and pay for. */
export function NewUpstreamPage() {
  const read = useFresh('POST /upstreams/check')
  const [found, setFound] = useState<{ source: Source; checked: Checked; count: number } | null>(null)
  return (
    <>
      <PageHeader
        title="Add an API"
        about="Read its description, set prices, and publish it. No code, and no changes to the API."
      />
      <SourceCard
        busy={read.isPending}
        error={read.error && messageOf(read.error, 'The description could not be read.')}
        onRead={(source, manifest) =>
          read.send({ source, manifest }, (checked) =>
            setFound((before) => ({ source, checked, count: (before?.count ?? 0) + 1 })),
          )
        }
      />
      {found && <Editor key={found.count} source={found.source} first={found.checked} isNew />}
      <ProofWhenAsked of={read} />
    </>
  )
}
