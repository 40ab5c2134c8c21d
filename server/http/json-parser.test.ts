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
