export const pricingText = {
  title: 'Pricing',
  about: 'Start free, pay for what you use, cancel any time. A credit pays for an ordinary request.',
  loading: 'Loading plans...',
  fallback: 'Using Fallback Pricing',
  fallbackAbout: 'The current plans could not be loaded, so the standard ones are shown.',
  retry: 'Try again',
  billedMonthly: 'Monthly',
  billedAnnually: 'Annual',
  saving: 'Save 20%',
  perMonth: 'per month',
  annualNote: (amount: string) => `${amount} billed once a year, saving 20%`,
  popular: 'Most Popular',
  trial: '14-day free trial',
  startFree: 'Start for free',
  choose: (name: string) => `Choose ${name}`,
  promises: ['14-day free trial', '30-day money-back guarantee on annual plans', 'No card for the free plan'],
  payg: {
    title: 'Pay-as-you-go',
    about: 'For use that comes and goes.',
    price: '$0.01',
    per: 'per 100 requests',
    minimum: '$1.00/month minimum',
    features: [
      'Monthly billing cycle',
      'REST API and MCP server',
      '3,000 requests per minute',
      'A spend cap that you set',
    ],
  },
  enterprise: {
    title: 'Enterprise',
    about: 'For teams with needs of their own.',
    price: 'Custom',
    per: 'agreed with you',
    contact: 'Contact Sales',
    featuresTitle: 'Enterprise features',
    features: [
      { title: 'Volume pricing', about: 'Credits and rates agreed for your use, invoiced as you need it.' },
      { title: 'Limits of your own', about: 'Requests per minute and monthly budgets set for each team and key.' },
      { title: 'Your infrastructure', about: 'The same product on your own machines, with your identity provider.' },
      { title: 'Priority support', about: 'A named contact and a response within 1 hour.' },
    ],
  },
  faqTitle: 'Questions about pricing',
  faq: [
    {
      title: 'How does the 14-day free trial work?',
      content:
        'A paid plan begins with 14 days free of charge, once for each account. You are charged when the trial ends unless you cancel before.',
    },
    {
      title: 'What does annual billing save?',
      content: 'An annual plan costs twelve months at 80 percent of the monthly price: a saving of 20%.',
    },
    {
      title: 'Can I have my money back?',
      content:
        'Annual plans have a 30-day money-back guarantee. Monthly plans are not refundable; you can cancel at any time and keep the plan until the period ends.',
    },
    {
      title: 'What does pay-as-you-go cost when I make few requests?',
      content:
        'Each 100 requests cost $0.01. A month in which the plan is active costs at least $1.00, however few requests you make.',
    },
  ],
  moreQuestions: 'All frequently asked questions',
}
