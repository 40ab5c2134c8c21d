import { Card } from '../../ui/card.tsx'
import { accountDataText as text } from './account-data-text.ts'
import { DeleteAction } from './delete-action.tsx'
import { ExportAction } from './export-action.tsx'

/** Data export and account deletion. */
export function AccountActionsCard() {
  return (
    <Card title={text.title}>
      {/* Dialogs follow the rows: the last row is not the last child. */}
      <div className="-mb-4">
        <ExportAction />
        <DeleteAction />
      </div>
    </Card>
  )
}
