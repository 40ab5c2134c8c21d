import { Card } from '../../../ui/card.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Facts } from './facts.tsx'

export function LimitsTab() {
  const query = useRead('GET /customers/{id}/limits', { params: { id: useRouteId() } })
  return (
    <Card title="Limits" about="The limits of each key are under Keys.">
      <Loaded query={query} what="limits" bars={['h-24']}>
        {(limits) => <Facts facts={factsOf(limits)} />}
      </Loaded>
    </Card>
  )
}

function factsOf(limits: Data<'GET /customers/{id}/limits'>) {
  const { auto_topup: topup } = limits
  return [
    ['Requests per minute', rateOf(limits), 'For all keys together'],
    [
      'Spend cap',
      limits.spend_cap_cents === null ? 'None' : `${money(limits.spend_cap_cents, limits.currency)} per month`,
      'For pay-as-you-go, set by the customer',
    ],
    [
      'Pay-as-you-go',
      limits.payg_enabled
        ? `${count(limits.payg_used)} units used in this period, ${count(limits.payg_left)} left`
        : 'Off',
    ],
    [
      'Usage alert',
      limits.alert_threshold === 0 ? 'Off' : `At ${limits.alert_threshold}%`,
      "Of the period's credits, by email and webhook",
    ],
    [
      'Automatic top-up',
      topup?.enabled
        ? `${count(topup.packs)} packs below ${count(topup.threshold)} credits${topup.monthly_cap_cents === null ? '' : `, at most ${money(topup.monthly_cap_cents, limits.currency)} per month`}`
        : 'Off',
      topup?.suspended_reason
        ? `Suspended: ${topup.suspended_reason.replaceAll('_', ' ')}`
        : topup && topup.failures > 0
          ? `${topup.failures} failures in a row`
          : undefined,
    ],
  ] as [string, string, string?][]
}

function rateOf({ rate_limit_per_minute: own, plan_rate_limit_per_minute: plan }: Data<'GET /customers/{id}/limits'>) {
  if (own === 0) return 'No limit, set by an operator'
  if (own !== null) return `${count(own)}, set by an operator`
  return plan === null ? 'Default for customers without a plan' : `${count(plan)}, from the plan`
}
