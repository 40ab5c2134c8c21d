import { expect, test } from 'vitest'
import { fallbackPlans } from './fallback-plans.ts'
import { pricingQuestions } from './pricing-questions.ts'
import { type PricingSettings, pricingTerms } from './pricing-terms.ts'

const settings = (named: boolean, sales = 'mailto:help@shop.example') =>
  ({ shop: { named }, links: { sales } }) as PricingSettings
const [free, pro, payg] = fallbackPlans as [
  (typeof fallbackPlans)[0],
  (typeof fallbackPlans)[0],
  (typeof fallbackPlans)[0],
]

test('the demonstration has the specified promises', () => {
  const terms = pricingTerms(fallbackPlans, settings(false))
  expect(terms.promises).toEqual([
    '14-day free trial',
    '30-day money-back guarantee on annual plans',
    'No card for the free plan',
  ])
  expect(terms.enterprise?.features).toContain('Priority support')
  const questions = pricingQuestions(fallbackPlans, settings(false))
  expect(questions.map(({ title }) => title)).toEqual([
    'How does the 14-day free trial work?',
    'How much do I save with annual billing?',
    'Can I get a refund?',
    'What does pay-as-you-go cost if I make few requests?',
  ])
  expect(questions.at(-1)?.content).toBe(
    'Every 100 requests cost $0.01, with a minimum of $1.00 per month while the plan is active.',
  )
})

test('a named shop promises only what its plans and settings say', () => {
  const plain = [{ ...pro, metadata: {} }]
  expect(pricingQuestions(plain, settings(true))).toEqual([])
  expect(pricingTerms(plain, settings(true))).toEqual({
    about: 'Choose a plan, and cancel anytime.',
    annual: false,
    promises: [],
    enterprise: null,
  })
  const richPlans = [free, { ...pro, metadata: { trial_days: '7' }, annual: { priceId: 'y', price: 18_240 } }, payg]
  const rich = pricingTerms(richPlans, settings(true, 'https://chat.shop.example'))
  expect(rich.promises).toEqual(['7-day free trial', 'No card for the free plan'])
  expect([rich.annual, rich.enterprise]).toEqual([true, { features: [] }])
  expect(pricingQuestions(richPlans, settings(true)).map(({ title }) => title)).toEqual([
    'How does the 7-day free trial work?',
    'How much do I save with annual billing?',
    'What does pay-as-you-go cost if I make few requests?',
  ])
  const different = [pro, { ...pro, metadata: { trial_days: '30' } }]
  expect(pricingTerms(different, settings(true)).promises).toEqual([])
  expect(pricingQuestions(different, settings(true)).map(({ title }) => title)).toEqual(['How do free trials work?'])
})
