export const pricingText = {
  title: 'Pricing',
  about: 'Start free, pay for what you use, cancel anytime.',
  aboutPaid: 'Choose a plan, and cancel anytime.',
  loading: 'Loading plans...',
  failed: 'Failed to fetch plans',
  billedMonthly: 'Monthly',
  billedAnnually: 'Annual',
  saving: 'Save 20%',
  perMonth: 'monthly',
  annualNote: (amount: string) => `${amount} billed once a year, saving 20%`,
  popular: 'Most Popular',
  promises: {
    trial: (days: number) => `${days}-day free trial`,
    refund: '30-day money-back guarantee on annual plans',
    free: 'No card for the free plan',
  },
  enterprise: {
    title: 'Enterprise',
    about: 'For teams with custom needs.',
    price: 'Custom',
    per: 'pricing',
    contact: 'Contact Sales',
    featuresTitle: 'Enterprise features',
    features: ['Volume pricing', 'Custom limits', 'Your infrastructure', 'Priority support'],
  },
  faqTitle: 'Questions about pricing',
  faq: {
    trial: (days: number) => ({
      title: `How does the ${days}-day free trial work?`,
      content: `Paid plans start with ${days} free days, once per account. You are charged when the trial ends unless you cancel first.`,
    }),
    trials: {
      title: 'How do free trials work?',
      content:
        'Below its price, a plan says how many days are free, once per account. You are charged when the trial ends unless you cancel first.',
    },
    annual: {
      title: 'How much do I save with annual billing?',
      content: '20%. An annual plan costs twelve months at 80% of the monthly price.',
    },
    refund: {
      title: 'Can I get a refund?',
      content:
        'Annual plans have a 30-day money-back guarantee. Monthly plans are not refundable; you can cancel at any time and keep the plan until the period ends.',
    },
    payg: (name: string, price: string, minimum: string) => ({
      title: `What does ${name.toLowerCase()} cost if I make few requests?`,
      content: `Every 100 requests cost ${price}, with a minimum of ${minimum} per month while the plan is active.`,
    }),
  },
  moreQuestions: 'All frequently asked questions',
}
