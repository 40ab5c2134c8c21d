import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count } from '../../lib/format.ts'
import { useText } from '../../lib/use-text.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { Effect, wholeNumber } from './effect.tsx'
import { actStateQuery, type DialogProps } from './queries.ts'

export const SuspendDialog = ({ customer, onClose }: DialogProps) => (
  <ActDialog
    line="POST /customers/{id}/suspend"
    params={{ id: customer.id }}
    danger
    title="Suspend customer"
    about={`Every call by ${customer.name} is refused from now on, and the customer cannot buy anything. Credits and data stay.`}
    submit="Suspend"
    busy="Suspending"
    onClose={onClose}
  />
)

export const ResumeDialog = ({ customer, onClose }: DialogProps) => (
  <ActDialog
    line="POST /customers/{id}/resume"
    params={{ id: customer.id }}
    title="Resume customer"
    about={`Calls by ${customer.name} run again.`}
    submit="Resume"
    busy="Resuming"
    onClose={onClose}
  />
)

export function LimitsDialog({ customer, onClose }: DialogProps) {
  const state = useQuery(actStateQuery(customer.id))
  const [kind, setKind] = useState<'own' | 'plan' | 'none'>('own')
  const own = useText()
  const limit = { own: wholeNumber(own.value), plan: null, none: 0 }[kind]
  const now = state.data?.rate_limit_per_minute
  return (
    <ActDialog
      line="POST /customers/{id}/limits"
      params={{ id: customer.id }}
      title="Change rate limit"
      about="Requests per minute for all keys together. The change takes effect within a second."
      submit="Change"
      busy="Changing"
      input={() =>
        kind === 'own' && limit === null ? own.fail('Enter a whole number above 0.') : { requests_per_minute: limit }
      }
      onClose={onClose}
    >
      <ChoiceField
        label="Limit"
        value={kind}
        options={{ own: 'Custom limit', plan: 'Limit of the plan', none: 'No limit' }}
        onChange={setKind}
      />
      {kind === 'own' && (
        <TextField label="Requests per minute" inputMode="numeric" autoComplete="off" {...own.field} />
      )}
      {now !== undefined && (
        <Effect
          facts={[['Current limit', now === null ? "the plan's" : now === 0 ? 'none' : `${count(now)} per minute`]]}
        />
      )}
    </ActDialog>
  )
}

export function PlanDialog({ customer, onClose }: DialogProps) {
  const state = useQuery(actStateQuery(customer.id))
  const [chosen, setChosen] = useState('')
  const plans = state.data?.plans ?? []
  const plan = plans.find(({ price_id }) => price_id === chosen) ?? plans[0]
  const named = plans.map(({ price_id, name, interval }) => [
    price_id,
    `${name}, ${interval === 'year' ? 'yearly' : 'monthly'}`,
  ])
  return (
    <ActDialog
      line="POST /customers/{id}/plan"
      params={{ id: customer.id }}
      title="Assign a plan"
      about={`${customer.name} gets the plan without payment: its rate limit now, and its credits each month. Customers who pay for a plan change it themselves.`}
      submit="Assign plan"
      busy="Assigning"
      input={() => (plan ? { plan: plan.price_id } : null)}
      onClose={onClose}
    >
      <ChoiceField label="Plan" value={plan?.price_id ?? ''} options={Object.fromEntries(named)} onChange={setChosen} />
      {plan && <Effect facts={[['Credits per month', count(plan.credits)]]} />}
    </ActDialog>
  )
}

export function SessionsDialog({ customer, onClose }: DialogProps) {
  const people = useQuery(actStateQuery(customer.id)).data?.members.length
  return (
    <ActDialog
      line="POST /customers/{id}/end-sessions"
      params={{ id: customer.id }}
      danger
      title="End all sessions"
      about={`All members of ${customer.name} are signed out on every device. API keys and connected apps keep working.`}
      busy="Ending sessions"
      onClose={onClose}
    >
      {people !== undefined && <Effect facts={[['People who must sign in again', count(people)]]} />}
    </ActDialog>
  )
}

export function NoteDialog({ customer, onClose }: DialogProps) {
  const note = useText()
  return (
    <ActDialog
      line="POST /customers/{id}/notes"
      params={{ id: customer.id }}
      title="Add a note"
      about={`Operators see it on the page of ${customer.name}. It is included in exports of the customer's data, and erased with the account.`}
      submit="Add note"
      busy="Adding"
      input={() => (note.value.trim() ? { note: note.value } : note.fail('Write the note.'))}
      onClose={onClose}
    >
      <TextArea label="Note" rows={4} maxLength={4_000} {...note.field} />
    </ActDialog>
  )
}
