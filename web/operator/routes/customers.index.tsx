import { createFileRoute } from '@tanstack/react-router'
import type { CustomerFilter } from '#contract/operator/customers.ts'
import { CustomersPage } from '../features/customers/customers-page.tsx'

const states = ['active', 'trial', 'past_due', 'no_plan', 'suspended', 'deleting'] as const
const ages = ['1d', '7d', '30d'] as const

export const Route = createFileRoute('/customers/')({
  /** What is no filter is left out. */
  validateSearch: ({ plan, state, new: age }: Record<string, unknown>): CustomerFilter => ({
    ...(typeof plan === 'string' && { plan: plan.slice(0, 200) }),
    ...(states.includes(state as never) && { state: state as CustomerFilter['state'] }),
    ...(ages.includes(age as never) && { new: age as CustomerFilter['new'] }),
  }),
  component: () => <CustomersPage filter={Route.useSearch()} />,
})
