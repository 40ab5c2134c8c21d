export const pricingText = {
  title: 'Pricing',
  about: 'Start free, pay for what you use, cancel anytime. One credit covers a standard request.',
  loading: 'Loading plans...',
  fallback: 'Using Fallback Pricing',
  fallbackAbout: 'The current plans could not be loaded. These are the standard plans.',
  retry: 'Try again',
  billedMonthly: 'Monthly',
  billedAnnually: 'Annual',
  saving: 'Save 20%',
  perMonth: 'monthly',
  annualNote: (amount: string) => `${amount} billed once a year, saving 20%`,
  popular: 'Most Popular',
  trial: '14-day free trial',
  startFree: 'Start for free',
  choose: (name: string) => `Choose ${name}`,
  promises: ['14-day free trial', '30-day money-back guarantee on annual plans', 'No card for the free plan'],
  payg: {
    title: 'Pay-as-you-go',
    about: 'For irregular usage.',
    price: '$0.01',
    per: 'per 100 requests',
    minimum: '$1.00/month minimum',
    features: ['Monthly billing cycle', 'REST API and MCP server', '3,000 requests per minute', 'Spend cap you set'],
  },
  enterprise: {
    title: 'Enterprise',
    about: 'For teams with custom needs.',
    price: 'Custom',
    per: 'pricing',
    contact: 'Contact Sales',
    featuresTitle: 'Enterprise features',
    features: [
      { title: 'Volume pricing', about: 'Credits and rates that fit your usage, with custom invoicing.' },
      { title: 'Custom limits', about: 'Requests per minute and monthly budgets per team and key.' },
      { title: 'Your infrastructure', about: 'The same product on your own machines, with your identity provider.' },
      { title: 'Priority support', about: 'A named contact and a response within 1 hour.' },
    ],
  },
  faqTitle: 'Questions about pricing',
  faq: [
    {
      title: 'How does the 14-day free trial work?',
      content:
        'Paid plans start with 14 free days, once per account. You are charged when the trial ends unless you cancel first.',
    },
    {
      title: 'How much do I save with annual billing?',
      content: '20%. An annual plan costs twelve months at 80% of the monthly price.',
    },
    {
      title: 'Can I get a refund?',
      content:
        'Annual plans have a 30-day money-back guarantee. Monthly plans are not refundable; you can cancel at any time and keep the plan until the period ends.',
    },
    {
      title: 'What does pay-as-you-go cost if I make few requests?',
      content: 'Every 100 requests cost $0.01, with a minimum of $1.00 per month while the plan is active.',
    },
  ],
  moreQuestions: 'All frequently asked questions',
}
