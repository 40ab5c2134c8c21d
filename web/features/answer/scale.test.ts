import { expect, test } from 'vitest'
import { labeled, ticksOf } from './scale.ts'

test.each([
  [76.78, 93.08, [75, 80, 85, 90, 95]],
  [0, 215_938_000_000, [0, 100_000_000_000, 200_000_000_000, 300_000_000_000]],
  [-4, 3, [-4, -2, 0, 2, 4]],
  [0.081, 0.0817, [0.081, 0.0812, 0.0814, 0.0816, 0.0818]],
  [5, 5, [4, 6]],
  [0, 0, [0, 0.25]],
])('from %d to %d the axis has round values around them', (low, high, ticks) => {
  expect(ticksOf(low, high)).toEqual(ticks)
})

test('dates below the axis are evenly spread over its width, the first and the last among them', () => {
  expect(labeled([0, 10, 20, 90, 100], 3)).toEqual([0, 2, 4])
  expect(labeled([0, 1, 2, 3, 24, 26, 49, 76, 99, 100], 5)).toEqual([0, 4, 6, 7, 9])
  const week = Array.from({ length: 7 }, (_, day) => (100 * day) / 6)
  expect(labeled(week, 5)).toEqual([0, 2, 4, 6])
  expect(labeled(week, 4)).toEqual([0, 2, 4, 6])
  expect(labeled([12.5, 37.5, 62.5, 87.5], 5)).toEqual([0, 1, 2, 3])
})
