import { expect, test } from 'vitest'
import { typedName } from './typed-name.ts'

test.each([
  ['price of oi', 'oi', 9],
  ['compare AAPL and micros', 'micros', 17],
  ['apple', 'apple', 0],
  ['natural gas', 'natural gas', 0],
  ['how did crude oil', 'crude oil', 8],
  ['^gs', '^gs', 0],
])('%s ends with the name %s', (line, query, start) => {
  expect(typedName(line)).toEqual({ query, start })
})

test.each([
  '',
  'a',
  'price of ',
  'price of',
  'oil since 2022',
  'add 2',
  'echo good day',
  'what time',
  'help',
  'one two three four five',
])('"%s" ends with no name', (line) => {
  expect(typedName(line)).toBeNull()
})
