/** Apart from the page's text: it comes later. */
export const questionsText = {
  title: 'Questions about pricing',
  more: 'All frequently asked questions',
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
}
