import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { useRole } from '../../lib/use-role.ts'
import { amount, type Columns, col, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { refundsQuery } from './queries.ts'

type Refund = Data<'GET /customers/{id}/refunds'>['refunds'][number]

const states: Record<Refund['state'], { word: string; tone: 'neutral' | 'warning' | 'success' | 'danger' }> = {
  unsent: { word: 'Not sent', tone: 'warning' },
  pending: { word: 'Pending', tone: 'neutral' },
  succeeded: { word: 'Confirmed', tone: 'success' },
  failed: { word: 'Failed', tone: 'danger' },
}

const invoiceOf = ({ invoice_number, invoice_id }: Refund) => invoice_number ?? invoice_id

/** Refunds that operators asked for. One that the payment provider has not answered can be sent again. */
export function RefundsCard({ id }: { id: string }) {
  const list = useQuery(refundsQuery(id))
  const [again, setAgain] = useState<Refund | null>(null)
  const maySend = useRole('owner', 'finance')
  const columns: Columns<Refund> = [
    time('Time (UTC)', ({ at }) => at),
    col('Invoice', invoiceOf),
    col('State', (refund) => (
      <>
        <Badge tone={states[refund.state].tone}>{states[refund.state].word}</Badge>
        {refund.error && <p className="mt-1 max-w-[32ch] text-small text-pretty text-muted">{refund.error}</p>}
        {refund.state === 'unsent' && maySend && (
          <Button size="small" className="mt-2" onClick={() => setAgain(refund)}>
            Send again
          </Button>
        )}
      </>
    )),
    col('Operator', ({ operator }) => operator),
    amount(
      'Amount',
      ({ cents }) => cents,
      ({ currency }) => currency,
    ),
  ]
  return (
    <>
      <List
        title="Refunds"
        about="A refund is pending until the payment provider confirms it. If it fails, the credits are given back."
        query={list}
        what="refunds"
        rows={list.data?.refunds ?? []}
        columns={columns}
        empty={{ title: 'No refunds yet', about: 'Refunds that operators start appear here with their state.' }}
      />
      {again && (
        <ActDialog
          line="POST /customers/{id}/refunds/{refund}/send"
          params={{ id, refund: again.id }}
          title="Send refund again"
          about={`${money(again.cents, again.currency)} of invoice ${invoiceOf(again)}. Even if the payment provider received it the first time, the customer is refunded once.`}
          submit="Send again"
          busy="Sending"
          onClose={() => setAgain(null)}
        />
      )}
    </>
  )
}
