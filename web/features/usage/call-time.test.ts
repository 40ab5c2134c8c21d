import { expect, test } from 'vitest'
import { callTime } from './call-time.ts'

const local = (...time: [number, number, number, number]) => new Date(2026, 10, ...time).toISOString()

test.each([
  [local(21, 11, 59, 48), '12 seconds ago'],
  [local(21, 11, 58, 59), '11:58:59 AM'],
  [local(20, 15, 4, 12), 'Nov 20, 2026, 3:04 PM'],
])('%s is %s', (value, shown) => expect(callTime(value, new Date(2026, 10, 21, 12))).toBe(shown))
