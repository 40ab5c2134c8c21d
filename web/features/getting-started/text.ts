import { formatCurrency, formatWhole } from '../../lib/format.ts'
import type { PlanFacts } from '../pricing/plan-facts.ts'

/** The plans that the second step names, as the specification words them. */
export const writtenPlans = { freeRequests: 1000, proRequests: 100_000, proPriceCents: 1900 }

export const startText = {
  title: 'Getting Started',
  about: 'Four steps from nothing to your first request. It takes about a minute.',
  steps: {
    account: {
      title: 'Create an account via GitHub',
      about:
        'Log in and approve once. Your account and a personal workspace are made on the way; there is no form to fill in.',
      action: 'Log In',
    },
    plan: {
      title: 'Choose a plan',
      free: ({ freeRequests }: PlanFacts) => `Free tier: ${formatWhole(freeRequests)} requests/month`,
      pro: ({ proPriceCents, proRequests }: PlanFacts) =>
        `Pro: ${formatCurrency(proPriceCents / 100)}/month with ${formatWhole(proRequests)} requests`,
      about: 'The free tier is redeemed with one click and needs no card.',
      action: 'Compare plans',
    },
    key: {
      title: 'Generate an API key',
      about:
        'Redeeming a plan creates your first key. Make more on the API Keys page, one for each place that uses it.',
      action: 'API Keys',
    },
    request: {
      title: 'Make your first request',
      about:
        'Put your key in place of YOUR_API_KEY. The answer holds five daily bars, and its headers say what it cost.',
      copy: 'Copy code',
      copied: 'Code copied to clipboard',
    },
  },
  next: 'What next',
  docs: 'Documentation',
  faq: 'Frequently asked questions',
}
