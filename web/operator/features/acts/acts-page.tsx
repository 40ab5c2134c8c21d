import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { utcTime } from '../../lib/format.ts'
import { CustomerActs } from './customer-acts.tsx'
import { NotesCard } from './notes-card.tsx'
import { actStateQuery } from './queries.ts'
import { RefundsCard } from './refunds-card.tsx'

/** The acts on a customer, with notes and refunds. */
export function ActsPage({ id }: { id: string }) {
  const state = useQuery(actStateQuery(id))
  const customer = state.data
  if (!customer)
    return (
      <QueryState
        query={state}
        loading="Loading the customer"
        bars={['h-8 w-1/2', 'h-40']}
        failed="The customer could not be loaded."
      />
    )
  return (
    <>
      <PageHeader title={customer.name} about={customer.owner_email ?? 'No owner'} />
      {customer.suspended_at && <Badge tone="danger">suspended since {utcTime(customer.suspended_at)} UTC</Badge>}
      {customer.deletion_due_at && (
        <Badge tone="warning">being deleted, erased on {utcTime(customer.deletion_due_at)} UTC</Badge>
      )}
      <CustomerActs customer={customer} />
      <NotesCard id={id} />
      <RefundsCard id={id} />
    </>
  )
}
