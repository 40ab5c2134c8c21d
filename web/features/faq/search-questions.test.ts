import { expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { questionCategories } from './questions.ts'
import { countQuestions, searchQuestions } from './search-questions.ts'

const plan = (name: string, credits: number, price: number, metadata: Record<string, string> = {}): Plan => ({
  id: name,
  productId: name,
  priceId: name,
  name,
  description: '',
  price,
  currency: 'usd',
  interval: 'month',
  active: true,
  type: price === 0 && metadata.type !== 'payg' ? 'free' : 'paid',
  current: false,
  credits,
  features: [],
  marketing_features: [],
  metadata,
  default_price: { id: name, unit_amount_decimal: metadata.type === 'payg' ? '0.02' : String(price) },
})
// A catalog that agrees with the sentence of the specification.
const seed = [plan('Free', 1000, 0), plan('Pro', 10_000, 1900)]
const plain = { passwords: false, keysReveal: 'always', shop: { named: false } } as const
const all = questionCategories(seed, plain)

test('five categories in order, four questions each', () => {
  expect(all.map(({ name, questions }) => [name, questions.length])).toEqual([
    ['Getting Started', 4],
    ['Billing & Plans', 4],
    ['API Usage', 4],
    ['Security', 4],
    ['Technical Support', 4],
  ])
})

test('questions are unique', () => {
  const questions = all.flatMap((category) => category.questions.map(({ question }) => question))
  expect(new Set(questions).size).toBe(20)
})

test('the specified facts are in the answers', () => {
  const text = all.flatMap(({ questions }) => questions.map(({ answer }) => answer)).join('\n')
  for (const fact of [
    'Free plan includes 1,000 requests/month',
    'Pro plan includes 10,000 requests/month',
    'Annual plans have a 30-day money-back guarantee',
    'Monthly plans are not refundable',
    '14-day free trial',
    'responds within 1 hour',
    '$0.01 per 100 requests',
    '$1.00/month minimum',
  ])
    expect(text).toContain(fact)
})

test('numbers from another catalog replace them', () => {
  const other = questionCategories([plan('Free', 50, 0), plan('Pro', 2000, 4900)], plain)
  const text = JSON.stringify(other)
  expect(text).toContain(
    'Free plan includes 50 requests/month and the Pro plan includes 2,000 requests/month at $49/month',
  )
})

test('the answer about passwords follows the settings', () => {
  const answer = (passwords: boolean) =>
    questionCategories(seed, { ...plain, passwords })
      .flatMap(({ questions }) => questions)
      .find(({ question }) => question === 'Can I log in with a password?')?.answer
  expect(answer(false)).toBe(
    'No. You log in with Google or GitHub, so there is no password to steal. You can add two-factor authentication to your account.',
  )
  expect(answer(true)).toBe(
    'Yes, in applications that offer it. The login page here offers Google and GitHub. You can add two-factor authentication to your account.',
  )
})

test('search ignores case and looks at questions and answers', () => {
  const inQuestion = searchQuestions(all, 'RATE LIMITS')
  expect(inQuestion.map(({ name }) => name)).toEqual(['API Usage'])
  const inAnswer = searchQuestions(all, 'aes-256')
  expect(inAnswer).toHaveLength(1)
  expect(inAnswer[0]?.questions.map(({ question }) => question)).toEqual(['How are API keys stored?'])
})

test('an empty search shows all, no match shows none, and surrounding blanks are ignored', () => {
  expect(countQuestions(searchQuestions(all, '  '))).toBe(20)
  expect(searchQuestions(all, 'zebra')).toEqual([])
  expect(countQuestions(searchQuestions(all, ' zebra '))).toBe(0)
  expect(countQuestions(searchQuestions(all, ' refund '))).toBe(1)
})

test('the answer about stored keys follows the settings', () => {
  const answer = (keysReveal: 'always' | 'once') =>
    questionCategories(seed, { ...plain, keysReveal })
      .flatMap(({ questions }) => questions)
      .find(({ question }) => question === 'How are API keys stored?')?.answer
  expect(answer('always')).toContain('so that you can reveal a key again')
  expect(answer('once')).toContain('Only as a SHA-256 hash')
  expect(answer('once')).not.toContain('reveal')
})

test('a named shop answers from its plans, and promises nothing that only the demonstration does', () => {
  const named = { ...plain, shop: { named: true } }
  const asked = (plans: Plan[]) =>
    Object.fromEntries(
      questionCategories(plans, named).flatMap(({ questions }) =>
        questions.map(({ question, answer }) => [question, answer]),
      ),
    )
  const few = asked([plan('Hobby', 700, 500)])
  expect(few['How many requests does each plan include?']).toBe('Hobby includes 700 requests per month.')
  expect(few['What happens when my credits run out?']).not.toContain('$')
  for (const question of [
    'What is your refund policy?',
    'Is there a free trial of paid plans?',
    'Do I need a credit card to start?',
    'How fast do you respond?',
    'Can I run this platform myself?',
  ])
    expect(few).not.toHaveProperty(question)
  expect(JSON.stringify(few)).not.toMatch(/30-day|14-day|1 hour|open source|1,000|\$/)

  const more = asked([
    plan('Start', 100, 0),
    plan('Team', 9000, 4900, { trial_days: '7' }),
    plan('Metered', 0, 0, { type: 'payg' }),
  ])
  expect(more['How many requests does each plan include?']).toBe(
    'Start includes 100 requests per month. Team includes 9,000 requests per month. Metered includes no requests: it costs $0.02 per 100 requests, $1.00/month minimum.',
  )
  expect(more['Is there a free trial of paid plans?']).toMatch(/^Team: 7-day free trial\./)
  expect(more['Do I need a credit card to start?']).toMatch(/^No\./)
  expect(more['What happens when my credits run out?']).toContain('With Metered they continue')
})
