import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import { Effect, wholeNumber } from './effect.tsx'
import { type ActCustomer, actStateQuery } from './queries.ts'

interface DialogProps {
  customer: ActCustomer
  onClose: () => void
}

export function GrantDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/grants', { id: customer.id })
  const state = useQuery(actStateQuery(customer.id))
  const { credits, field, checked } = useCredits()
  return (
    <ActDialog
      title="Grant credits"
      about={`${customer.name} gets credits free of charge. They never expire.`}
      submitLabel="Grant credits"
      busyLabel="Granting"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => checked((credits) => act.mutate({ credits, reason }, { onSuccess: onClose }))}
    >
      {field}
      {state.data && (
        <Effect
          facts={[
            ['Current balance', count(state.data.balance)],
            ['Balance after', credits === null ? '' : count(state.data.balance + credits)],
          ]}
        />
      )}
    </ActDialog>
  )
}

export function TakeBackDialog({ customer, onClose }: DialogProps) {
  const act = useAct('POST /customers/{id}/take-backs', { id: customer.id })
  const state = useQuery(actStateQuery(customer.id))
  const most = state.data?.unpaid_credits
  const { credits, field, checked } = useCredits(most)
  return (
    <ActDialog
      danger
      title="Take back credits"
      about="Only credits that were granted without payment. To take back paid credits, refund the payment."
      submitLabel="Take back credits"
      busyLabel="Taking back"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => checked((credits) => act.mutate({ credits, reason }, { onSuccess: onClose }))}
    >
      {field}
      {state.data && (
        <Effect
          facts={[
            ['Current balance', count(state.data.balance)],
            ['Can be taken back', count(state.data.unpaid_credits)],
            ['Balance after', credits === null ? '' : count(state.data.balance - Math.min(credits, most ?? 0))],
          ]}
        />
      )}
    </ActDialog>
  )
}

/** The field for a number of credits. `checked` passes the number on, or says at the field what is wrong with it. */
function useCredits(most?: number) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const credits = wholeNumber(text)
  const checked = (send: (credits: number) => void) => {
    if (credits === null) return setWrong('Enter a whole number above 0.')
    if (most !== undefined && credits > most) return setWrong(`At most ${count(most)} credits can be taken back.`)
    setWrong(null)
    send(credits)
  }
  const field = (
    <TextField
      label="Credits"
      inputMode="numeric"
      autoComplete="off"
      value={text}
      error={wrong}
      onChange={(event) => {
        setText(event.target.value)
        setWrong(null)
      }}
    />
  )
  return { credits, field, checked }
}
