import { expect, test } from 'vitest'
import { priceWords } from './price-words.ts'

test.each([
  [{ kind: 'fixed', credits: 0 }, 'free'],
  [{ kind: 'fixed', credits: 1 }, '1 credit'],
  [{ kind: 'fixed', credits: 2500 }, '2,500 credits'],
  [{ kind: 'rows', credits: 1, perRows: 1000 }, '1 credit per 1,000 rows'],
  [{ kind: 'rows', at: '/items', credits: 2, per: 1, most: 40 }, '2 credits per row, 40 credits at most'],
  [{ kind: 'unit', at: '/usage', credits: 2, per: 1000, most: 40 }, '2 credits per 1,000 units, 40 credits at most'],
  [{ kind: 'kib', credits: 1, most: 500 }, '1 credit per KiB, 500 credits at most'],
  [undefined, null],
  [{ credits: 'many' }, null],
])('%o is %s', (rule, words) => {
  expect(priceWords(rule)).toBe(words)
})
