import { formatCurrency, formatWhole } from '../../lib/format.ts'
import type { PlanFacts } from '../pricing/plan-facts.ts'

export const startText = {
  title: 'Getting Started',
  about: 'Make your first request in four steps. It takes about a minute.',
  steps: {
    account: {
      title: 'Create an account via GitHub',
      about: 'Log in and approve once. This creates your account and a personal workspace, with no form to fill in.',
      action: 'Log In',
    },
    plan: {
      title: 'Choose a plan',
      free: ({ freeRequests }: PlanFacts) => `Free tier: ${formatWhole(freeRequests)} requests/month`,
      pro: ({ proPriceCents, proRequests }: PlanFacts) =>
        `Pro: ${formatCurrency(proPriceCents / 100)}/month with ${formatWhole(proRequests)} requests`,
      about: 'Redeem the free tier with one click. No card needed.',
      action: 'Compare plans',
    },
    key: {
      title: 'Generate an API key',
      about: 'Redeeming a plan creates your first key. Create more on the API Keys page, one per application.',
      action: 'API Keys',
    },
    request: {
      title: 'Make your first request',
      about:
        'Replace YOUR_API_KEY with your key. The response has five daily bars, and its headers show what the call cost.',
      copy: 'Copy code',
      copied: 'Code copied to clipboard',
    },
  },
  next: 'Next steps',
  docs: 'Documentation',
  faq: 'Frequently asked questions',
}
