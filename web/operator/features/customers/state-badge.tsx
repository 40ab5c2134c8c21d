import type { CustomerState } from '#contract/operator/customers.ts'
import { Badge } from '../../../ui/badge.tsx'

export const stateNames: Record<CustomerState, string> = {
  active: 'Active',
  trial: 'Trial',
  past_due: 'Payment due',
  no_plan: 'No plan',
  suspended: 'Suspended',
  deleting: 'Being deleted',
  deleted: 'Deleted',
}

const tones: Record<CustomerState, 'neutral' | 'accent' | 'success' | 'warning' | 'danger'> = {
  active: 'success',
  trial: 'accent',
  past_due: 'warning',
  no_plan: 'neutral',
  suspended: 'danger',
  deleting: 'warning',
  deleted: 'neutral',
}

export const StateBadge = ({ state }: { state: CustomerState }) => (
  <Badge tone={tones[state]}>{stateNames[state]}</Badge>
)
