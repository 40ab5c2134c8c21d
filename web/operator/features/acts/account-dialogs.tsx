import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SelectField, TextArea, TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import { Effect, wholeNumber } from './effect.tsx'
import { type ActCustomer, actStateQuery } from './queries.ts'

interface DialogProps {
  customer: ActCustomer
  onClose: () => void
}

export function SuspendDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/suspend', { id: customer.id })
  return (
    <ActDialog
      danger
      title="Suspend customer"
      about={`Every call by ${customer.name} is refused from now on, and the customer cannot buy anything. Credits and data stay.`}
      submitLabel="Suspend"
      busyLabel="Suspending"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}

export function ResumeDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/resume', { id: customer.id })
  return (
    <ActDialog
      title="Resume customer"
      about={`Calls by ${customer.name} run again.`}
      submitLabel="Resume"
      busyLabel="Resuming"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}

export function LimitsDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/limits', { id: customer.id })
  const state = useQuery(actStateQuery(customer.id))
  const [kind, setKind] = useState('own')
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const own = wholeNumber(text)
  const now = state.data?.rate_limit_per_minute
  const shown = (limit: number | null | undefined) =>
    limit === null ? "the plan's" : limit === 0 ? 'none' : limit === undefined ? '' : `${count(limit)} per minute`
  return (
    <ActDialog
      title="Change rate limit"
      about="Requests per minute for all keys together. The change takes effect within a second."
      submitLabel="Change"
      busyLabel="Changing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => {
        if (kind === 'own' && own === null) return setWrong('Enter a whole number above 0.')
        setWrong(null)
        const requests_per_minute = kind === 'plan' ? null : kind === 'none' ? 0 : own
        act.mutate({ requests_per_minute, reason }, { onSuccess: onClose })
      }}
    >
      <SelectField label="Limit" value={kind} onChange={(event) => setKind(event.target.value)}>
        <option value="own">Custom limit</option>
        <option value="plan">Limit of the plan</option>
        <option value="none">No limit</option>
      </SelectField>
      {kind === 'own' && (
        <TextField
          label="Requests per minute"
          inputMode="numeric"
          autoComplete="off"
          value={text}
          error={wrong}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {state.data && <Effect facts={[['Current limit', shown(now)]]} />}
    </ActDialog>
  )
}

export function PlanDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/plan', { id: customer.id })
  const state = useQuery(actStateQuery(customer.id))
  const [chosen, setChosen] = useState('')
  const plans = state.data?.plans ?? []
  const plan = plans.find(({ price_id }) => price_id === chosen) ?? plans[0]
  return (
    <ActDialog
      title="Assign a plan"
      about={`${customer.name} gets the plan without payment: its rate limit now, and its credits each month. Customers who pay for a plan change it themselves.`}
      submitLabel="Assign plan"
      busyLabel="Assigning"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => plan && act.mutate({ plan: plan.price_id, reason }, { onSuccess: onClose })}
    >
      <SelectField label="Plan" value={plan?.price_id ?? ''} onChange={(event) => setChosen(event.target.value)}>
        {plans.map(({ price_id, name, interval }) => (
          <option key={price_id} value={price_id}>
            {name}, {interval === 'year' ? 'yearly' : 'monthly'}
          </option>
        ))}
      </SelectField>
      {plan && <Effect facts={[['Credits per month', count(plan.credits)]]} />}
    </ActDialog>
  )
}

export function SessionsDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/end-sessions', { id: customer.id })
  const state = useQuery(actStateQuery(customer.id))
  const people = state.data?.members.length
  return (
    <ActDialog
      danger
      title="End all sessions"
      about={`All members of ${customer.name} are signed out on every device. API keys and connected apps keep working.`}
      submitLabel="End all sessions"
      busyLabel="Ending sessions"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    >
      {people !== undefined && <Effect facts={[['People who must sign in again', count(people)]]} />}
    </ActDialog>
  )
}

export function NoteDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/notes', { id: customer.id })
  const [note, setNote] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  return (
    <ActDialog
      title="Add a note"
      about={`Operators see it on the page of ${customer.name}. It is included in exports of the customer's data, and erased with the account.`}
      submitLabel="Add note"
      busyLabel="Adding"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => {
        if (!note.trim()) return setWrong('Write the note.')
        setWrong(null)
        act.mutate({ note, reason }, { onSuccess: onClose })
      }}
    >
      <TextArea
        label="Note"
        rows={4}
        maxLength={4_000}
        value={note}
        error={wrong}
        onChange={(event) => setNote(event.target.value)}
      />
    </ActDialog>
  )
}
