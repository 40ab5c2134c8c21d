import type { Subscription } from '#contract/billing.ts'
import { Badge } from '../../ui/badge.tsx'

/** The subscription status in one word; unhealthy ones show Stripe's status. */
export function SubscriptionBadge({ subscription }: { subscription: Subscription }) {
  const { status, cancels_at: cancelsAt, provider_status: word } = subscription
  if (status !== 'active') return <Badge tone="danger">{sentence(status)}</Badge>
  if (cancelsAt !== null) return <Badge tone="warning">Canceled</Badge>
  return <Badge tone="success">{word === 'trialing' ? 'Trial' : 'Active'}</Badge>
}

const sentence = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ')
