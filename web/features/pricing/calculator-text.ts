/** Apart from the page's other texts: its script comes later. */
export const calculatorText = {
  title: 'What a month costs',
  about: 'Choose how many requests you make in a month.',
  requests: 'Requests per month',
  shown: (requests: string) => `${requests} requests`,
  lowest: 'Lowest price',
  upTo: (requests: string) => `Up to ${requests} requests`,
  unlimited: 'Any number of requests',
  capped: (minimum: string) => `${minimum}, up to your spend cap`,
  tooFew: 'Not enough',
  fixedIsLess: (plan: string, amount: string, payg: string) => `${plan} costs ${amount} less than ${payg}.`,
  same: (plan: string, payg: string) => `${plan} costs as much as ${payg}.`,
  paygIsLess: (payg: string, amount: string, plan: string, requests: string) =>
    `${payg} costs ${amount} less than ${plan} for ${requests} requests.`,
  onlyFixed: (plan: string) => `${plan} is the cheapest plan that includes that many.`,
  onlyPayg: (payg: string) =>
    `No plan with a fixed price includes that many. ${payg} has no limit but the cap that you set.`,
  reasons: 'When each plan makes sense',
  freeUpTo: (requests: string) =>
    `To try things out: ${requests} requests a month. Calls stop there, so nothing is charged.`,
  freeUnlimited: 'Any number of requests, and nothing is charged.',
  sameBill: (extras: string[]) => `The same bill every month${extras.length > 0 ? `, and ${extras.join(', ')}` : ''}.`,
  notForPrice: (payg: string) => `Choose it for that, not for the price: ${payg} costs less.`,
  lessFrom: (payg: string, requests: string) => `From ${requests} requests on, it costs no more than ${payg}.`,
  payForUse: (minimum: string) => `You pay for what you use, from ${minimum} a month to the cap that you set.`,
  alwaysLess: (plan: string) =>
    `It costs less than ${plan} for as many requests as ${plan} includes, but the bill varies.`,
  lessUpTo: (plan: string, requests: string) =>
    `It costs less than ${plan} below ${requests} requests, but the bill varies.`,
  none: 'No plan includes that many.',
  note: 'A request costs one credit. Some cost more and count as several requests here. Failed requests are free.',
  reference: 'Price of each request',
}
