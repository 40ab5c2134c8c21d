import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../../../../lib/http/api-error.ts'
import { Button } from '../../../../ui/button.tsx'
import { ProofWhenAsked } from '../../../layout/proof-when-asked.tsx'
import { useFresh } from '../../../lib/use-fresh.ts'
import { ApiCard } from './api-card.tsx'
import { FindingsCard } from './findings-card.tsx'
import type { Checked, Manifest, Source } from './manifest.ts'
import { OperationsCard } from './operations-card.tsx'
import { PublishDialog } from './publish-dialog.tsx'

interface EditorProps {
  source: Source
  /** Of the description as it was read first. */
  first: Checked
  isNew: boolean
}

/** A checked description while it is curated: each change has to be checked again before it can be published. */
export function Editor({ source, first, isNew }: EditorProps) {
  const navigate = useNavigate()
  const check = useFresh('POST /upstreams/check')
  const [checked, setChecked] = useState(first)
  const [manifest, setManifest] = useState<Manifest>(first.manifest)
  const [publishing, setPublishing] = useState<'draft' | 'publish' | null>(null)
  const stale = manifest !== checked.manifest
  const again = () =>
    check.send({ source, manifest }, (next) => {
      setChecked(next)
      setManifest(next.manifest)
    })
  const isReady = !stale && checked.problems.length === 0
  return (
    <>
      <ApiCard manifest={manifest} onChange={setManifest} isNew={isNew} title={checked.title} />
      <OperationsCard manifest={manifest} operations={checked.operations} onChange={setManifest} />
      <FindingsCard
        checked={checked}
        stale={stale}
        actions={
          <>
            {isReady ? (
              <>
                <Button look="primary" onClick={() => setPublishing('publish')}>
                  Publish
                </Button>
                <Button onClick={() => setPublishing('draft')}>Save draft</Button>
              </>
            ) : (
              <Button look="primary" busy={check.isPending} onClick={again}>
                {check.isPending ? 'Checking' : 'Check'}
              </Button>
            )}
            <p role="alert" className="basis-full text-danger empty:hidden">
              {check.error && messageOf(check.error, 'The check failed.')}
            </p>
          </>
        }
      />
      {publishing && (
        <PublishDialog
          source={source}
          checked={checked}
          draft={publishing === 'draft'}
          onClose={() => setPublishing(null)}
          onDone={(id) => navigate({ to: '/supply/upstreams/$id', params: { id } })}
        />
      )}
      <ProofWhenAsked of={check} />
    </>
  )
}
