import { expect, test } from 'vitest'
import { annualCents, isMostPopular } from './annual-price.ts'

test.each([
  [1900, 18_240],
  [0, 0],
  [4900, 47_040],
  [999, 9590],
])('%i cents a month are %i a year', (monthly, yearly) => expect(annualCents(monthly)).toBe(yearly))

test.each([
  ['Pro', true],
  ['PROJECT', true],
  ['Day trader', true],
  ['Free', false],
  ['Starter', false],
])('%s is most popular: %s', (name, popular) => expect(isMostPopular({ name })).toBe(popular))
