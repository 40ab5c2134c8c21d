import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { Shop } from './queries.ts'

export function UndoDialog({ shop, onClose }: { shop: Shop; onClose: () => void }) {
  const act = useAct('POST /shop/undo')
  return (
    <ActDialog
      title="Serve what was served before"
      about={`Version ${shop.version} is no longer served, within two seconds. What was served before it comes back: its name, colors, pages and tools.`}
      submitLabel="Undo"
      busyLabel="Undoing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}
