import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { Shop } from './queries.ts'

export function UndoDialog({ shop, onClose }: { shop: Shop; onClose: () => void }) {
  const act = useAct('POST /shop/undo')
  return (
    <ActDialog
      title="Undo the last version"
      about={`The version before ${shop.version} is published again within two seconds, with its name, colors, pages and tools.`}
      submitLabel="Undo"
      busyLabel="Undoing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}
