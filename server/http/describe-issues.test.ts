import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { describeIssues } from './describe-issues.ts'

beforeAll(describeIssues)
afterAll(() => z.config({ customError: undefined }))

const input = z.strictObject({
  limit: z.int().min(1).max(100).default(10),
  rate: z.number().gt(0).lt(1).default(0.5),
  name: z.string().max(3).default('a'),
  code: z.string().min(2).default('ab'),
  on: z.boolean().default(true),
  ids: z.array(z.string()).min(1).max(2).default(['a']),
  kind: z.enum(['call', 'put']).default('call'),
  step: z.number().multipleOf(5).default(5),
  day: z.iso.date().default('2026-01-31'),
  within: z.strictObject({}).default({}),
})

test.each([
  [{ limit: 'abc' }, 'must be a number'],
  [{ limit: 1.5 }, 'must be a whole number'],
  [{ limit: 0 }, 'must be at least 1'],
  [{ limit: 101 }, 'must be at most 100'],
  [{ rate: 0 }, 'must be more than 0'],
  [{ rate: 1 }, 'must be less than 1'],
  [{ name: 7 }, 'must be text'],
  [{ name: 'abcd' }, 'must have at most 3 characters'],
  [{ code: 'a' }, 'must have at least 2 characters'],
  [{ on: 'yes' }, 'must be true or false'],
  [{ ids: 'a' }, 'must be a list'],
  [{ ids: [] }, 'must not be empty'],
  [{ ids: ['a', 'b', 'c'] }, 'must have at most 2 entries'],
  [{ kind: 'both' }, 'must be one of: call, put'],
  [{ step: 7 }, 'must be a multiple of 5'],
  [{ day: 'soon' }, 'must be a date such as 2026-01-31'],
  [{ within: 5 }, 'must be an object'],
  [[], 'must be an object'],
  [{ nope: 1 }, 'unknown field "nope"'],
  [{ ['x'.repeat(80)]: 1 }, `unknown field "${'x'.repeat(60)}…"`],
])('says of %j: %s', (value, words) => {
  expect(input.safeParse(value).error?.issues[0]?.message).toBe(words)
})

test('says what is missing, and leaves a schema its own words', () => {
  const own = z.object({ name: z.string(), id: z.string('is required: the id of a key') })
  expect(own.safeParse({}).error?.issues.map((issue) => issue.message)).toEqual([
    'is required',
    'is required: the id of a key',
  ])
})
