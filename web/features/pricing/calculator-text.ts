/** Apart from the page's other texts: its script comes later. */
export const calculatorText = {
  title: 'What a month costs',
  about: 'Choose how many requests you make in a month.',
  requests: 'Requests per month',
  shown: (requests: string) => `${requests} requests`,
  lowest: 'Lowest fixed price',
  upTo: (requests: string) => `Up to ${requests} requests`,
  unlimited: 'Any number of requests',
  capped: (minimum: string) => `${minimum}, up to your spend cap`,
  tooFew: 'Not enough',
  fixedIsLess: (plan: string, amount: string, payg: string) => `${plan} costs ${amount} less than ${payg}.`,
  same: (plan: string, payg: string) => `${plan} costs as much as ${payg}.`,
  paygIsLess: (payg: string, amount: string, requests: string) =>
    `${payg} costs ${amount} less for ${requests} requests.`,
  fixedStays: (plan: string) => `${plan} costs the same every month.`,
  even: (requests: string) => `From ${requests} requests on, it is the cheaper one.`,
  onlyFixed: (plan: string) => `${plan} is the cheapest plan that includes that many.`,
  onlyPayg: (payg: string) =>
    `No plan with a fixed price includes that many. ${payg} has no limit but the cap that you set.`,
  none: 'No plan includes that many.',
  note: 'A request costs one credit. Some cost more and count as several requests here. Failed requests are free.',
  reference: 'Price of each request',
}
