import { expect, test } from 'vitest'
import { questionCategories } from './questions.ts'
import { countQuestions, searchQuestions } from './search-questions.ts'

// A catalog that agrees with the sentence of the specification.
const seed = { freeRequests: 1000, proRequests: 10_000, proPriceCents: 1900 }
const plain = { passwords: false, keysReveal: 'always' } as const
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
  const other = questionCategories({ freeRequests: 50, proRequests: 2000, proPriceCents: 4900 }, plain)
  const text = JSON.stringify(other)
  expect(text).toContain(
    'Free plan includes 50 requests/month and the Pro plan includes 2,000 requests/month at $49/month',
  )
})

test('the answer about passwords follows the settings', () => {
  const answer = (passwords: boolean) =>
    questionCategories(seed, { ...plain, passwords })
      .flatMap(({ questions }) => questions)
      .find(({ question }) => question === 'Can I sign in with a password?')?.answer
  expect(answer(false)).toBe(
    'No. You sign in with Google or GitHub, so there is no password to steal. You can add two-factor authentication to your account.',
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
