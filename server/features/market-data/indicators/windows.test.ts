import fc from 'fast-check'
import { expect, test } from 'vitest'
import { highest, lowest, sums, weightedSums } from './windows.ts'

const numbers = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -1e6, max: 1e6 })), { maxLength: 90 })
const warmUp = fc.integer({ min: 0, max: 8 })
const period = fc.integer({ min: 1, max: 30 })

/** Each window summed separately, in integers, so that both results are exact. */
const plain = (values: number[], length: number, of: (window: number[]) => number) =>
  values.map((_, i) => {
    const window = values.slice(Math.max(0, i - length + 1), i + 1)
    return window.length < length || window.some(Number.isNaN) ? Number.NaN : of(window)
  })

test('sums and weighted sums of every window, also after leading gaps', () => {
  fc.assert(
    fc.property(numbers, period, warmUp, (given, length, missing) => {
      const values = [...new Array<number>(missing).fill(Number.NaN), ...given]
      const column = Float64Array.from(values)
      expect([...sums(column, length)]).toEqual(plain(values, length, (window) => window.reduce((a, b) => a + b, 0)))
      expect([...weightedSums(column, length)]).toEqual(
        plain(values, length, (window) => window.reduce((sum, value, at) => sum + (at + 1) * value, 0)),
      )
    }),
  )
})

test('maximum and minimum of every window', () => {
  fc.assert(
    fc.property(numbers, period, (values, length) => {
      const column = Float64Array.from(values)
      expect([...highest(column, length)]).toEqual(plain(values, length, (window) => Math.max(...window)))
      expect([...lowest(column, length)]).toEqual(plain(values, length, (window) => Math.min(...window)))
    }),
  )
})

test('a large value leaves no rounding error once it has left the window', () => {
  const values = Float64Array.of(1e17, 1, 1, 1, 1, 1, 0, 0, 0, 0)
  expect([...sums(values, 3)].slice(3)).toEqual([3, 3, 3, 2, 1, 0, 0])
  expect([...weightedSums(values, 3)].slice(3)).toEqual([6, 6, 6, 3, 1, 0, 0])
})
