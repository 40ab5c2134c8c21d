import type { CatalogEntry } from './publish-plans.ts'

/** The plans of a new installation, in display order. */
export const seedPlans: CatalogEntry[] = [
  {
    productId: 'prod_free',
    priceId: 'price_free_month',
    name: 'Free',
    description: 'Try the whole API. No card needed.',
    priceCents: 0,
    unitAmountDecimal: '0',
    currency: 'usd',
    interval: 'month',
    features: ['1,000 requests per month', 'REST API and MCP server', '120 requests per minute'],
    metadata: { type: 'free', credits: '1000', rate_limit: '120' },
  },
  {
    productId: 'prod_pro',
    priceId: 'price_pro_month',
    name: 'Pro',
    description: 'For products and agents that run every day.',
    priceCents: 1_900,
    unitAmountDecimal: '1900',
    currency: 'usd',
    interval: 'month',
    features: [
      '100,000 requests per month',
      'REST API and MCP server',
      '1,200 requests per minute',
      'Priority support',
    ],
    metadata: { type: 'paid', credits: '100000', rate_limit: '1200', trial_days: '14' },
  },
  {
    productId: 'prod_payg',
    priceId: 'price_payg_month',
    name: 'Pay-as-you-go',
    description: 'For irregular usage.',
    priceCents: 0,
    unitAmountDecimal: '0.01',
    currency: 'usd',
    interval: 'month',
    features: ['$0.01 per 100 requests', '$1.00/month minimum', 'REST API and MCP server', '3,000 requests per minute'],
    metadata: { type: 'payg', rate_limit: '3000' },
  },
]

/** Credits that are bought once and never expire. */
export const seedPack = {
  productId: 'prod_credits',
  name: '10,000 credits',
  description: "Credits that never expire, used after your plan's credits.",
  features: [],
  metadata: { type: 'credits', credits: '10000' },
  priceCents: 200,
}
