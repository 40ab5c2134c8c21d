import { afterEach, expect, test, vi } from 'vitest'
import { parseJson } from './json-parser.ts'

afterEach(() => vi.restoreAllMocks())

test.each([
  '{"__proto__":1}',
  '{"a":[{"__proto__" \n: {}}]}',
  '{"\\u005f_proto__":1}',
  '{"\\u005F\\u005f\\u0070\\u0072\\u006F\\u0074\\u006f\\u005f\\u005f":{}}',
])('%s is refused', (text) => {
  expect(() => parseJson(text)).toThrow('the key __proto__ is not allowed')
})

test.each(['{"a":"__proto__"}', '["__proto__",1]', '{"a":"\\"__proto__\\":1"}', '{"proto":1}', '{"constructor":1}'])(
  '%s is plain data',
  (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  },
)

test('no value is visited one by one: a word in the body must not cost the time of all its numbers', () => {
  const parse = vi.spyOn(JSON, 'parse')
  for (const text of ['{"a":[1,1,1],"x":"__proto__"}', '{"constructor":[1,1]}']) parseJson(text)
  expect(parse.mock.calls.map((given) => given.length)).toEqual([1, 1])
})

test('100 levels are parsed, and the next is refused, however deep the rest is', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`
  expect(parseJson(nested(100))).toEqual(JSON.parse(nested(100)))
  for (const text of [nested(102), `[${nested(100)}]`, '['.repeat(1_000_000)])
    expect(() => parseJson(text)).toThrow('The JSON is nested more than 100 levels deep. Send fewer levels.')
})

test('brackets within text are no levels', () => {
  const text = JSON.stringify({ a: `${'[{'.repeat(100)}"\\`, '[[': ['"[', '\\'] })
  expect(parseJson(text)).toEqual(JSON.parse(text))
  expect(parseJson(`[${Array(200).fill('{"a":[]}').join()}]`)).toHaveLength(200)
})
