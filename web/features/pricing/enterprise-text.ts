import { pricingText } from './text.ts'

/** Apart from the page's other texts: its script comes later. */
const abouts = [
  'Included requests and rates that fit your usage, with custom invoicing.',
  'Requests per minute and monthly budgets per team and key.',
  'The same product on your own machines, with your identity provider.',
  'A named contact and a response within 1 hour.',
]

export const enterpriseFeatures = pricingText.enterprise.features.map((title, at) => ({ title, about: abouts[at]! }))
