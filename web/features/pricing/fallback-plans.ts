import type { Plan } from '#contract/billing.ts'

/** The data of a plan card. */
export type ShownPlan = Pick<
  Plan,
  | 'id'
  | 'name'
  | 'description'
  | 'price'
  | 'currency'
  | 'interval'
  | 'type'
  | 'credits'
  | 'metadata'
  | 'default_price'
  | 'marketing_features'
  | 'annual'
  | 'tax_behavior'
  | 'prices'
>

const common = { currency: 'usd', interval: 'month' } as const
const price = (cents: string) => ({ id: cents, unit_amount_decimal: cents })
const named = (...names: string[]) => names.map((name) => ({ name }))

/** The standard plans, shown if the catalog cannot be loaded. */
export const fallbackPlans: readonly ShownPlan[] = [
  {
    ...common,
    id: 'fallback-free',
    name: 'Free',
    description: 'Try the whole API. No card needed.',
    price: 0,
    type: 'free',
    credits: 1_000,
    metadata: {},
    default_price: price('0'),
    marketing_features: named('1,000 requests per month', 'REST API and MCP server', '120 requests per minute'),
  },
  {
    ...common,
    id: 'fallback-pro',
    name: 'Pro',
    description: 'For products and agents that run every day.',
    price: 1_900,
    type: 'paid',
    credits: 100_000,
    metadata: { trial_days: '14' },
    default_price: price('1900'),
    marketing_features: named(
      '100,000 requests per month',
      'REST API and MCP server',
      '1,200 requests per minute',
      'Priority support',
    ),
  },
  {
    ...common,
    id: 'fallback-payg',
    name: 'Pay-as-you-go',
    description: 'For irregular usage.',
    price: 0,
    type: 'paid',
    credits: 0,
    metadata: { type: 'payg' },
    default_price: price('0.01'),
    marketing_features: named('REST API and MCP server', '3,000 requests per minute'),
  },
]
