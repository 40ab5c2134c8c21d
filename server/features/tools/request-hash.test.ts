import { expect, test } from 'vitest'
import type { RegisteredTool } from './register-tool.ts'
import { requestHash } from './request-hash.ts'

const named = (name: string) => ({ tool: { name } }) as RegisteredTool

test('the same input of another tool is another request', () => {
  const [add, multiply] = [named('add'), named('multiply')]
  expect(requestHash(add, { a: 1 })).toBe(requestHash(named('add'), { a: 1 }))
  expect(requestHash(add, { a: 1 })).not.toBe(requestHash(multiply, { a: 1 }))
  expect(requestHash(add, { a: 1 })).not.toBe(requestHash(add, { a: 2 }))
})
