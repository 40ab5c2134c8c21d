import { expect, test } from 'vitest'
import { nextStep, progressOf } from './progress.ts'

const nothing = { keys: [], hasPlan: false, credits: undefined, calls: 0 }
const credits = { remaining: 0, unlimited: false, payAsYouGoEnabled: false }
const key = (usage_count: number, last_used_client: string | null = null) => ({ usage_count, last_used_client })
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'

test.each([
  ['nothing', nothing, 'plan'],
  ['a key, and nothing to spend', { ...nothing, keys: [key(0)], credits }, 'plan'],
  ['a plan', { ...nothing, hasPlan: true }, 'key'],
  ['granted credits without a plan', { ...nothing, credits: { ...credits, remaining: 5 } }, 'key'],
  ['pay-as-you-go', { ...nothing, credits: { ...credits, payAsYouGoEnabled: true } }, 'key'],
  ['an unused key', { ...nothing, hasPlan: true, keys: [key(0)] }, 'call'],
  ['a call in the browser', { ...nothing, hasPlan: true, keys: [key(1, browser)] }, 'client'],
  ['a call of the playground', { ...nothing, hasPlan: true, keys: [key(0)], calls: 1 }, 'client'],
  ['ten calls in the browser', { ...nothing, hasPlan: true, keys: [key(10, browser)] }, 'client'],
  ['a call of a program', { ...nothing, hasPlan: true, keys: [key(1, 'curl/8.5.0')] }, null],
  ['many calls', { ...nothing, hasPlan: true, keys: [key(11, browser)] }, null],
] as const)('with %s the next step is the right one', (_name, account, next) => {
  expect(nextStep(progressOf({ ...account, keys: [...account.keys] }))).toBe(next)
})
