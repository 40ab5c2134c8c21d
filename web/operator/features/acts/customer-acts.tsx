import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'
import type { OperatorRole } from '#contract/operator/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { sessionQuery } from '../../lib/api.ts'
import {
  LimitsDialog,
  NoteDialog,
  PlanDialog,
  ResumeDialog,
  SessionsDialog,
  SuspendDialog,
} from './account-dialogs.tsx'
import { GrantDialog, TakeBackDialog } from './credit-dialogs.tsx'
import { DeleteDialog, ExportDialog, ResendDialog } from './people-dialogs.tsx'
import type { ActCustomer } from './queries.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { ViewDialog } from './view-dialog.tsx'

interface Act {
  label: string
  roles: readonly OperatorRole[]
  dialog: ComponentType<{ customer: ActCustomer; onClose: () => void }>
  /** Also while the account is being deleted. */
  whileEnding?: boolean
  /** Whether it makes sense for this customer. */
  when?: (customer: ActCustomer) => boolean
}

const helpers = ['owner', 'support', 'finance'] as const
const supporters = ['owner', 'support'] as const

const buttons: readonly Act[] = [
  { label: 'Grant credits', roles: helpers, dialog: GrantDialog },
  { label: 'Refund', roles: ['owner', 'finance'], dialog: RefundDialog, whileEnding: true },
  { label: 'View as customer', roles: supporters, dialog: ViewDialog, when: ({ owner_email }) => owner_email !== null },
  { label: 'Add a note', roles: helpers, dialog: NoteDialog, whileEnding: true },
]
const others: readonly Act[] = [
  { label: 'Take back credits', roles: helpers, dialog: TakeBackDialog },
  { label: 'Change rate limit', roles: supporters, dialog: LimitsDialog },
  { label: 'Assign a plan', roles: ['owner'], dialog: PlanDialog },
  { label: 'Suspend', roles: supporters, dialog: SuspendDialog, when: ({ suspended_at }) => suspended_at === null },
  { label: 'Resume', roles: supporters, dialog: ResumeDialog, when: ({ suspended_at }) => suspended_at !== null },
  { label: 'End all sessions', roles: helpers, dialog: SessionsDialog, whileEnding: true },
  { label: 'Resend an email', roles: helpers, dialog: ResendDialog },
  { label: 'Export data', roles: ['owner'], dialog: ExportDialog, whileEnding: true },
  { label: 'Delete', roles: ['owner'], dialog: DeleteDialog, when: ({ owner_email }) => owner_email !== null },
]

/** What this operator may do to a customer: the frequent acts as buttons, the others in a menu. Viewers have none. */
export function CustomerActs({ customer }: { customer: ActCustomer }) {
  const { data: session } = useQuery(sessionQuery)
  const [act, setAct] = useState<Act | null>(null)
  const [menuUsed, setMenuUsed] = useState(false)
  if (!session || session.second_factor === 'read_only') return null
  const allowed = ({ roles, whileEnding, when }: Act) =>
    roles.includes(session.role) && (whileEnding || !customer.deletion_due_at) && (when?.(customer) ?? true)
  const more = others.filter(allowed)
  const trigger = (
    <Button size="small" onClick={() => setMenuUsed(true)}>
      More
    </Button>
  )
  return (
    <div className="flex flex-wrap gap-2">
      {buttons.filter(allowed).map((one) => (
        <Button key={one.label} size="small" onClick={() => setAct(one)}>
          {one.label}
        </Button>
      ))}
      {more.length > 0 &&
        (menuUsed ? (
          <Menu trigger={trigger} label="More actions">
            {more.map((one) => (
              <MenuItem key={one.label} onSelect={() => setAct(one)}>
                {one.label}
              </MenuItem>
            ))}
          </Menu>
        ) : (
          trigger
        ))}
      {act && <act.dialog customer={customer} onClose={() => setAct(null)} />}
    </div>
  )
}
