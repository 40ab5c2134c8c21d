import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../lib/http/api-error.ts'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { Fields } from './product-data.ts'

interface SaveDialogProps {
  id: string
  fields: Fields
  rowVersion: number
  onClose: () => void
}

/** Saves a draft. When somebody else saved one meanwhile, it closes, and the editor shows both. */
export function SaveDialog({ id, fields, rowVersion, onClose }: SaveDialogProps) {
  const act = useAct('POST /products/{id}/draft', { id })
  const queries = useQueryClient()
  const onError = async (error: Error) => {
    if (!(error instanceof ApiError) || error.code !== 'conflict') return
    await queries.invalidateQueries({ queryKey: ['operator', 'products', id] })
    onClose()
  }
  return (
    <ActDialog
      title="Save draft"
      about="Customers see no change until an owner publishes it."
      submitLabel="Save draft"
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ fields, row_version: rowVersion, reason }, { onSuccess: onClose, onError })}
    />
  )
}
