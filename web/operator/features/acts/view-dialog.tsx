import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { ActCustomer } from './queries.ts'

/** Opens the customer's dashboard in this tab, read only. The tab alone knows the token of the view. */
export function ViewDialog({ customer, onClose }: { customer: ActCustomer; onClose: () => void }) {
  const act = useAct('POST /customers/{id}/views', { id: customer.id })
  return (
    <ActDialog
      title="View as customer"
      about={`Shows the dashboard of ${customer.owner_email ?? customer.name} for 15 minutes, read-only and without secrets. The owner gets an email, and the start and end appear in their audit log.`}
      submitLabel="Open dashboard"
      busyLabel="Opening"
      act={act}
      onClose={onClose}
      onSubmit={(reason) =>
        act.mutate(
          { reason },
          {
            onSuccess: ({ token, expires_at, user_id, owner_email }) => {
              const view = {
                token,
                expiresAt: expires_at,
                userId: user_id,
                email: owner_email,
                accountId: customer.id,
                name: customer.name,
              }
              sessionStorage.setItem('finmeter.view', JSON.stringify({ ...view, back: location.pathname }))
              location.assign('/dashboard')
            },
          },
        )
      }
    />
  )
}
