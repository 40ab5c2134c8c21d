import { createFileRoute } from '@tanstack/react-router'
import { type CustomerFilter, customerFilter } from '#contract/operator/customers.ts'
import { CustomersPage } from '../features/customers/customers-page.tsx'

export const Route = createFileRoute('/customers/')({
  /** What is no filter is left out. */
  validateSearch: (search: Record<string, unknown>): CustomerFilter => customerFilter.safeParse(search).data ?? {},
  component: () => <CustomersPage filter={Route.useSearch()} />,
})
