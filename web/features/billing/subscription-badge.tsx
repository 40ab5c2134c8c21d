import type { Subscription } from '#contract/billing.ts'
import { Badge } from '../../ui/badge.tsx'

/** The state of a subscription in a word; one that is not in order has Stripe's. */
export function SubscriptionBadge({ subscription }: { subscription: Subscription }) {
  const { status, cancels_at: cancelsAt, provider_status: word } = subscription
  if (status !== 'active') return <Badge tone="danger">{sentence(status)}</Badge>
  if (cancelsAt !== null) return <Badge tone="warning">Cancelled</Badge>
  return <Badge tone="success">{word === 'trialing' ? 'Trial' : 'Active'}</Badge>
}

const sentence = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ')
