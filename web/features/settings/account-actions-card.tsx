import { Card } from '../../ui/card.tsx'
import { accountDataText as text } from './account-data-text.ts'
import { DeleteAction } from './delete-action.tsx'
import { ExportAction } from './export-action.tsx'

/** Data export and account deletion. */
export function AccountActionsCard() {
  return (
    <Card title={text.title}>
      <div className="divide-y divide-line">
        <ExportAction />
        <DeleteAction />
      </div>
    </Card>
  )
}
