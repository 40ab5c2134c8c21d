import { afterEach, expect, test, vi } from 'vitest'
import { RefusalHints } from './refusal-hints.ts'

afterEach(() => vi.useRealTimers())

test('a hint is forgotten after five seconds', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const hints = new RefusalHints()
  hints.set(1, 'insufficient_credits')
  vi.setSystemTime(Date.now() + 4_900)
  expect(hints.get(1)).toBe('insufficient_credits')
  vi.setSystemTime(Date.now() + 200)
  expect(hints.get(1)).toBeNull()
})
