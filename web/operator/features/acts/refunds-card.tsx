import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { sessionQuery } from '../../lib/api.ts'
import { money, utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import { type RefundList, refundsQuery } from './queries.ts'

type Refund = RefundList['refunds'][number]

const states: Record<Refund['state'], { word: string; tone: 'neutral' | 'warning' | 'success' | 'danger' }> = {
  unsent: { word: 'Not sent', tone: 'warning' },
  pending: { word: 'Pending', tone: 'neutral' },
  succeeded: { word: 'Confirmed', tone: 'success' },
  failed: { word: 'Failed', tone: 'danger' },
}

/** Refunds that operators asked for. One that the payment provider has not answered can be sent again. */
export function RefundsCard({ id }: { id: string }) {
  const list = useQuery(refundsQuery(id))
  const { data: session } = useQuery(sessionQuery)
  const [again, setAgain] = useState<Refund | null>(null)
  const refunds = list.data?.refunds ?? []
  const maySend = session?.role === 'owner' || session?.role === 'finance'
  return (
    <Card
      title="Refunds"
      about="A refund is pending until the payment provider confirms it. If it fails, the credits are given back."
      flush={refunds.length > 0}
    >
      <QueryState query={list} loading="Loading the refunds" bars={['h-9']} failed="The refunds could not be loaded." />
      {list.data && refunds.length === 0 && (
        <EmptyState title="No refunds yet" about="Refunds that operators start appear here with their state." />
      )}
      {refunds.length > 0 && (
        <Table
          label="Refunds"
          head={
            <>
              <HeadCell>Time (UTC)</HeadCell>
              <HeadCell>Invoice</HeadCell>
              <HeadCell>State</HeadCell>
              <HeadCell>Operator</HeadCell>
              <HeadCell align="right">Amount</HeadCell>
            </>
          }
        >
          {refunds.map((refund) => (
            <tr key={refund.id} className="align-top">
              <Cell className="whitespace-nowrap">{utcTime(refund.at)}</Cell>
              <Cell>{refund.invoice_number ?? refund.invoice_id}</Cell>
              <Cell>
                <Badge tone={states[refund.state].tone}>{states[refund.state].word}</Badge>
                {refund.error && <p className="mt-1 max-w-[32ch] text-small text-pretty text-muted">{refund.error}</p>}
                {refund.state === 'unsent' && maySend && (
                  <Button size="small" className="mt-2" onClick={() => setAgain(refund)}>
                    Send again
                  </Button>
                )}
              </Cell>
              <Cell>{refund.operator}</Cell>
              <Cell align="right">{money(refund.cents, refund.currency)}</Cell>
            </tr>
          ))}
        </Table>
      )}
      {again && <AgainDialog id={id} refund={again} onClose={() => setAgain(null)} />}
    </Card>
  )
}

function AgainDialog({ id, refund, onClose }: { id: string; refund: Refund; onClose: () => void }) {
  const act = useAct('POST /customers/{id}/refunds/{refund}/send', { id, refund: refund.id })
  return (
    <ActDialog
      title="Send refund again"
      about={`${money(refund.cents, refund.currency)} of invoice ${refund.invoice_number ?? refund.invoice_id}. Even if the payment provider received it the first time, the customer is refunded once.`}
      submitLabel="Send again"
      busyLabel="Sending"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}
