import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../../../../lib/http/api-error.ts'
import { Badge } from '../../../../ui/badge.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Card } from '../../../../ui/card.tsx'
import { ActDialog } from '../../../layout/act-dialog.tsx'
import { ProofWhenAsked } from '../../../layout/proof-dialog.tsx'
import { useFresh } from '../../../lib/use-fresh.ts'
import { ApiCard } from './api-card.tsx'
import type { Checked, Manifest, Source } from './manifest.ts'
import { OperationsCard } from './operations-card.tsx'

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
  // Exactly what was checked is published, or stored.
  const draft = publishing === 'draft'
  const id = String(checked.manifest.id)
  const version = (checked.newest ?? 0) + 1
  const published = checked.operations.filter(({ tool }) => tool !== null).length
  const things = published === 1 ? '1 operation' : `${published} operations`
  const { problems } = checked
  const isReady = !stale && problems.length === 0
  return (
    <>
      <ApiCard manifest={manifest} onChange={setManifest} isNew={isNew} title={checked.title} />
      <OperationsCard manifest={manifest} operations={checked.operations} onChange={setManifest} />
      <Card
        title="4. Check and publish"
        aside={
          <Badge tone={stale ? 'warning' : problems.length > 0 ? 'danger' : 'success'}>
            {stale
              ? 'Changed since the check'
              : problems.length > 0
                ? problems.length === 1
                  ? '1 problem'
                  : `${problems.length} problems`
                : 'Ready'}
          </Badge>
        }
      >
        <div aria-live="polite">
          <Found texts={problems} className="text-danger" />
          {isReady && <p className="mb-4">Ready to publish.</p>}
          <Found texts={checked.notes} className="text-muted" />
        </div>
        <div className="flex flex-wrap gap-2">
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
        </div>
      </Card>
      {publishing && (
        <ActDialog
          line="POST /upstreams"
          title={draft ? `Save version ${version} of ${id} as a draft` : `Publish version ${version} of ${id}`}
          about={
            draft
              ? `Customers do not get it. You can try its ${things} with your own credential and publish it later.`
              : `Customers can call ${things} within two seconds${checked.newest === null ? '' : ', instead of those of the previous version'}. You can undo it at any time.`
          }
          submit={draft ? 'Save draft' : 'Publish'}
          busy={draft ? 'Saving' : 'Publishing'}
          input={() => ({ source, manifest: checked.manifest, digest: checked.digest, newest: checked.newest, draft })}
          onDone={({ upstream }) => navigate({ to: '/supply/upstreams/$id', params: { id: upstream.id } })}
          onClose={() => setPublishing(null)}
        />
      )}
      <ProofWhenAsked of={check} />
    </>
  )
}

/** What prevents publishing, or what the operator should know. */
const Found = ({ texts, className }: { texts: readonly string[]; className: string }) => (
  <ul className={`mb-4 list-disc space-y-1 pl-5 empty:hidden ${className}`}>
    {texts.map((text) => (
      <li key={text} className="text-pretty break-words">
        {text}
      </li>
    ))}
  </ul>
)
