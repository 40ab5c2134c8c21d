/** The data of a plan card. */
export interface ShownPlan {
  id: string
  name: string
  description: string
  /** Cents per month. */
  price: number
  currency: string
  marketing_features: readonly { name: string }[]
  type: 'free' | 'paid'
}

/** The standard plans, shown if the catalog cannot be loaded. */
export const fallbackPlans: readonly ShownPlan[] = [
  {
    id: 'fallback-free',
    name: 'Free',
    description: 'Try every dataset and tool. No card needed.',
    price: 0,
    currency: 'usd',
    type: 'free',
    marketing_features: [
      { name: '1,000 requests per month' },
      { name: 'REST API and MCP server' },
      { name: '120 requests per minute' },
    ],
  },
  {
    id: 'fallback-pro',
    name: 'Pro',
    description: 'For products and agents that run every day.',
    price: 1900,
    currency: 'usd',
    type: 'paid',
    marketing_features: [
      { name: '100,000 requests per month' },
      { name: 'REST API and MCP server' },
      { name: '1,200 requests per minute' },
      { name: 'Priority support' },
    ],
  },
]
