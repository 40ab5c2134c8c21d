import { ActDialog } from '../../layout/act-dialog.tsx'
import type { DialogProps } from './queries.ts'

/** Opens the customer's dashboard in this tab, read only. The tab alone knows the token of the view. */
export const ViewDialog = ({ customer: { id, name, owner_email: owner }, onClose }: DialogProps) => (
  <ActDialog
    line="POST /customers/{id}/views"
    params={{ id }}
    title="View as customer"
    about={`Shows the dashboard of ${owner ?? name} for 15 minutes, read-only and without secrets. The owner gets an email, and the start and end appear in their audit log.`}
    submit="Open dashboard"
    busy="Opening"
    onDone={({ token, expires_at: expiresAt, user_id: userId, owner_email: email }) => {
      const view = { token, expiresAt, userId, email, accountId: id, name, back: location.pathname }
      sessionStorage.setItem('finmeter.view', JSON.stringify(view))
      location.assign('/dashboard')
      return false
    }}
    onClose={onClose}
  />
)
