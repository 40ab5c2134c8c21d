import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'
import type { OperatorRole } from '#contract/operator/route.ts'
import { Button } from '../../../ui/button.tsx'
import { sessionQuery } from '../../lib/api.ts'
import { MenuButton } from '../../ui/menu-button.tsx'
import { customerName } from '../customers/customer-name.ts'
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
import type { ActCustomer, DialogProps } from './queries.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { ViewDialog } from './view-dialog.tsx'

interface Act {
  label: string
  roles: readonly OperatorRole[]
  dialog: ComponentType<DialogProps>
  /** Also while the account is being deleted. */
  whileEnding?: boolean
  /** Whether it makes sense for this customer. */
  when?: (customer: ActCustomer) => boolean
}

const helpers = ['owner', 'support', 'finance'] as const
const supporters = ['owner', 'support'] as const
const hasOwner = ({ owner_email }: ActCustomer) => owner_email !== null
const isSuspended = ({ state, suspended_at }: ActCustomer) => state === 'suspended' || Boolean(suspended_at)
const isEnding = ({ state, deletion_due_at }: ActCustomer) => state === 'deleting' || Boolean(deletion_due_at)

/** The frequent ones first: the page of a customer has them as buttons. */
const acts: readonly Act[] = [
  { label: 'Grant credits', roles: helpers, dialog: GrantDialog },
  { label: 'Refund', roles: ['owner', 'finance'], dialog: RefundDialog, whileEnding: true },
  { label: 'View as customer', roles: supporters, dialog: ViewDialog, when: hasOwner },
  { label: 'Add a note', roles: helpers, dialog: NoteDialog, whileEnding: true },
  { label: 'Take back credits', roles: helpers, dialog: TakeBackDialog },
  { label: 'Change rate limit', roles: supporters, dialog: LimitsDialog },
  { label: 'Assign a plan', roles: ['owner'], dialog: PlanDialog },
  { label: 'Suspend', roles: supporters, dialog: SuspendDialog, when: (customer) => !isSuspended(customer) },
  { label: 'Resume', roles: supporters, dialog: ResumeDialog, when: isSuspended },
  { label: 'End all sessions', roles: helpers, dialog: SessionsDialog, whileEnding: true },
  { label: 'Resend an email', roles: helpers, dialog: ResendDialog },
  { label: 'Export data', roles: ['owner'], dialog: ExportDialog, whileEnding: true },
  { label: 'Delete', roles: ['owner'], dialog: DeleteDialog, when: hasOwner },
]
const frequent = acts.slice(0, 4)

/** What this operator may do to the customer, and the dialog of the chosen act. Viewers have none. */
function useActs(customer: ActCustomer) {
  const { data: session } = useQuery(sessionQuery)
  const [act, setAct] = useState<Act | null>(null)
  const mayAct = session && session.second_factor !== 'read_only'
  const allowed = acts.filter(
    ({ roles, whileEnding, when }) =>
      mayAct && roles.includes(session.role) && (whileEnding || !isEnding(customer)) && (when?.(customer) ?? true),
  )
  const dialog = act && <act.dialog customer={customer} onClose={() => setAct(null)} />
  return { allowed, dialog, itemOf: (one: Act) => ({ label: one.label, onSelect: () => setAct(one) }) }
}

/** On the page of a customer: the frequent acts as buttons, the others in a menu. */
export function CustomerActs({ customer }: { customer: ActCustomer }) {
  const { allowed, dialog, itemOf } = useActs(customer)
  const others = allowed.filter((one) => !frequent.includes(one)).map(itemOf)
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {allowed
        .filter((one) => frequent.includes(one))
        .map(itemOf)
        .map(({ label, onSelect }) => (
          <Button key={label} size="small" onClick={onSelect}>
            {label}
          </Button>
        ))}
      {others.length > 0 && (
        <MenuButton label="More actions" items={others}>
          More
        </MenuButton>
      )}
      {dialog}
    </div>
  )
}

/** In a list: all of them in a menu. */
export function CustomerMenu({ customer }: { customer: ActCustomer & { personal: boolean } }) {
  const { allowed, dialog, itemOf } = useActs(customer)
  return (
    <>
      {allowed.length > 0 && <MenuButton label={`Actions for ${customerName(customer)}`} items={allowed.map(itemOf)} />}
      {dialog}
    </>
  )
}
