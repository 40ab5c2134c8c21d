import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import type { Data } from '../../lib/api.ts'

type Payment = Data<'GET /payments'>['payments'][number]
type State = Payment['state']

const states = {
  unknown: ['Undecided', 'danger'],
  claimed: ['Claimed', 'neutral'],
  settling: ['Settling', 'neutral'],
  settled: ['Settled', 'success'],
  failed: ['Failed', 'warning'],
  released: ['Not used', 'neutral'],
} as const satisfies Record<State, readonly [string, string]>

export function PaymentState({ state }: { state: State }) {
  const [name, tone] = states[state]
  return <Badge tone={tone}>{name}</Badge>
}

export const stateName = (state: State): string => states[state][0]

export const linkClass = 'underline underline-offset-4'

/** What the payment became: the receipt of a call, or the account of a balance. */
export function Bought({ payment }: { payment: Pick<Payment, 'receipt_id' | 'product' | 'state' | 'account_id'> }) {
  const { receipt_id: receipt, product, state, account_id: id } = payment
  if (receipt)
    return (
      <Link to="/receipts/$id" params={{ id: receipt }} className={linkClass}>
        {receipt}
      </Link>
    )
  if (product === 'balance' && state === 'settled')
    return (
      <Link to="/customers/$id" params={{ id }} className={linkClass}>
        Balance
      </Link>
    )
  return <span className="text-muted">None</span>
}

/** `0x12345678…abcd`. */
export const shortened = (hex: string): string => (hex.length > 16 ? `${hex.slice(0, 10)}…${hex.slice(-4)}` : hex)

export const reasonText = (reason: string): string => reason.replaceAll('_', ' ')
