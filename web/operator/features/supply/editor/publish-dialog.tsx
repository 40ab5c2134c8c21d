import { ActDialog } from '../../../layout/act-dialog.tsx'
import { useAct } from '../../../lib/use-act.ts'
import type { Checked, Source } from './manifest.ts'

interface PublishDialogProps {
  source: Source
  checked: Checked
  draft: boolean
  onClose: () => void
  onDone: (id: string) => void
}

/** Publishes, or stores, exactly what was checked. */
export function PublishDialog({ source, checked, draft, onClose, onDone }: PublishDialogProps) {
  const act = useAct('POST /upstreams')
  const { manifest, digest, newest, operations } = checked
  const version = (newest ?? 0) + 1
  const published = operations.filter(({ tool }) => tool !== null).length
  const things = published === 1 ? '1 operation' : `${published} operations`
  const id = String(manifest.id)
  return (
    <ActDialog
      title={draft ? `Save version ${version} of ${id} as a draft` : `Publish version ${version} of ${id}`}
      about={
        draft
          ? `Customers do not get it. You can try its ${things} with your own credential and publish it later.`
          : `Customers can call ${things} within two seconds${newest === null ? '' : ', instead of those of the previous version'}. You can undo it at any time.`
      }
      submitLabel={draft ? 'Save draft' : 'Publish'}
      busyLabel={draft ? 'Saving' : 'Publishing'}
      act={act}
      onClose={onClose}
      onSubmit={(reason) =>
        act.mutate(
          { source, manifest, digest, newest, draft, reason },
          { onSuccess: ({ upstream }) => onDone(upstream.id) },
        )
      }
    />
  )
}
