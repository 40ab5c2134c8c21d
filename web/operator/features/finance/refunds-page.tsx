import { Badge } from '../../../ui/badge.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { usePages } from '../../lib/read.ts'
import { amount, type Columns, figure, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

/** Refunds and disputes, newest first. */
export function RefundsPage() {
  const returns = usePages('GET /finance/refunds')
  return (
    <>
      <PageHeader
        title="Refunds"
        about="Refunded and disputed payments, and money that won disputes brought back. Newest first."
      />
      <List
        title="Refunds and disputes"
        about="Credits taken back and burned before are totals for the whole payment."
        query={returns}
        what="refunds"
        rows={returns.data?.pages.flatMap(({ entries }) => entries) ?? []}
        columns={columns}
        csv="refunds.csv"
        empty={{ title: 'No refunds yet', about: 'Refunded and disputed payments appear here.' }}
      />
    </>
  )
}

type Returned = Data<'GET /finance/refunds'>['entries'][number]
const kindOf = ({ cause, dispute }: Returned) =>
  cause === 'refund' ? 'Refund' : `Dispute${dispute ? `: ${dispute.replaceAll('_', ' ')}` : ''}`
const columns: Columns<Returned> = [
  time('Time (UTC)', ({ at }) => at),
  { head: 'Customer', look: 'name', value: ({ account_name: name }) => name },
  {
    head: 'Type',
    look: 'line',
    value: kindOf,
    cell: (one) => (
      <Badge tone={one.cause === 'refund' ? 'neutral' : one.cents < 0 ? 'success' : 'warning'}>{kindOf(one)}</Badge>
    ),
  },
  { head: 'Bought', value: ({ label }) => label },
  { head: 'Currency', value: ({ currency }) => currency, onlyCsv: true },
  amount(
    'Returned',
    ({ cents }) => cents,
    ({ currency }) => currency,
  ),
  figure('Credits taken back', (one) => one.credits_taken_back),
  figure('Burned before', (one) => one.credits_used),
  { head: 'Charge', look: 'code', value: (one) => one.charge_id },
]
