import { useQuery } from '@tanstack/react-query'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { count } from '../../lib/format.ts'
import { useText } from '../../lib/use-text.ts'
import { Effect, wholeNumber } from './effect.tsx'
import { actStateQuery, type DialogProps } from './queries.ts'

export function GrantDialog({ customer, onClose }: DialogProps) {
  const state = useQuery(actStateQuery(customer.id)).data
  const { credits, field, input } = useCredits()
  return (
    <ActDialog
      line="POST /customers/{id}/grants"
      params={{ id: customer.id }}
      title="Grant credits"
      about={`${customer.name} gets credits free of charge. They never expire.`}
      busy="Granting"
      input={input}
      onClose={onClose}
    >
      {field}
      {state && (
        <Effect
          facts={[
            ['Current balance', count(state.balance)],
            ['Balance after', credits === null ? '' : count(state.balance + credits)],
          ]}
        />
      )}
    </ActDialog>
  )
}

export function TakeBackDialog({ customer, onClose }: DialogProps) {
  const state = useQuery(actStateQuery(customer.id)).data
  const { credits, field, input } = useCredits(state?.unpaid_credits)
  return (
    <ActDialog
      line="POST /customers/{id}/take-backs"
      params={{ id: customer.id }}
      danger
      title="Take back credits"
      about="Only credits that were granted without payment. To take back paid credits, refund the payment."
      busy="Taking back"
      input={input}
      onClose={onClose}
    >
      {field}
      {state && (
        <Effect
          facts={[
            ['Current balance', count(state.balance)],
            ['Can be taken back', count(state.unpaid_credits)],
            ['Balance after', credits === null ? '' : count(state.balance - Math.min(credits, state.unpaid_credits))],
          ]}
        />
      )}
    </ActDialog>
  )
}

/** The field for a number of credits, and what it gives to the act. */
function useCredits(most?: number) {
  const text = useText()
  const credits = wholeNumber(text.value)
  const input = () => {
    if (credits === null) return text.fail('Enter a whole number above 0.')
    if (most !== undefined && credits > most) return text.fail(`At most ${count(most)} credits can be taken back.`)
    return { credits }
  }
  const field = <TextField label="Credits" inputMode="numeric" autoComplete="off" {...text.field} />
  return { credits, field, input }
}
