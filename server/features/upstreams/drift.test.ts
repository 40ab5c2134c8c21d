import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { jsonInput } from '../tools/json-input.ts'
import { createDriftCheck } from './request/compare-answer.ts'

const node = { type: 'object', properties: { next: { $ref: '#' } } }

test('an answer that is nested too deeply to be compared is told as not checked', async () => {
  const problems: string[] = []
  const check = createDriftCheck(node, (problem) => problems.push(problem), 0)
  let deep: object = {}
  for (let level = 0; level < 100_000; level++) deep = { next: deep }
  check(deep, 1_000)
  await setImmediate()
  check({ next: 1 }, 1_000)
  await setImmediate()
  expect(problems).toEqual([
    '#: not checked, because it takes more than 800 levels of its schema',
    '#/type: must be object',
  ])
})

test('an answer that takes too many steps to be compared is told as not checked', async () => {
  const problems: string[] = []
  const numbers = { allOf: Array.from({ length: 20 }, (_, least) => ({ items: { minimum: least - 20 } })) }
  createDriftCheck(numbers, (problem) => problems.push(problem), 0)(Array(50_000).fill(1), 100_000)
  await setImmediate()
  expect(problems).toEqual(['#: not checked, because it takes more than 100000 steps'])
})

// With 30 letters, an expression like this takes minutes.
const slow = '^(a+)+$'
const text = `${'a'.repeat(30)}!`

test('slow rules of a description are for the upstream to check', async () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', pattern: slow },
      list: { type: 'array', uniqueItems: true },
      count: { type: 'integer' },
    },
    patternProperties: { [slow]: { type: 'string' } },
    additionalProperties: false,
  }
  const given = { text, list: [{}, {}], [text]: 1 }
  const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
  for (const one of [schema, draft07]) {
    expect(jsonInput(one).parse(given)).toEqual(given)
    expect(() => jsonInput(one).parse({ count: 'x' })).toThrow('count must be integer')
  }
  const problems: string[] = []
  createDriftCheck(schema, (problem) => problems.push(problem), 0)(given, 1_000)
  await setImmediate()
  expect(problems).toEqual([])
})
