import { expect, test } from 'vitest'
import { toBuckets, toCsv } from './buckets.ts'
import { readRange } from './range.ts'

const now = new Date('2026-11-21T12:34:56Z')

test('every day of the range is included, oldest first, with keys summed', () => {
  const analytics = [
    { unkeyId: 'a', keyName: 'A', data: [{ time: '2026-11-21T00:00:00Z', success: 3, failed: 1 }] },
    {
      unkeyId: 'b',
      keyName: 'B',
      data: [
        { time: '2026-11-21T00:00:00Z', success: 2, failed: 0 },
        { time: '2026-11-15T00:00:00Z', success: 7, failed: 0 },
      ],
    },
  ]
  const buckets = toBuckets(analytics, [{ time: '2026-11-15T00:00:00Z', refused: 4 }], '7d', now)
  expect(buckets).toHaveLength(7)
  expect(buckets[0]).toEqual({ start: new Date('2026-11-15T00:00:00Z'), success: 7, failed: 0, refused: 4 })
  expect(buckets[6]).toEqual({ start: new Date('2026-11-21T00:00:00Z'), success: 5, failed: 1, refused: 0 })
})

test('24 hours are hours, and times outside the range are left out', () => {
  const analytics = [
    {
      unkeyId: null,
      keyName: 'Playground',
      data: [
        { time: '2026-11-20T12:00:00Z', success: 9, failed: 9 },
        { time: '2026-11-20T13:00:00Z', success: 1, failed: 0 },
        { time: '2026-11-21T13:00:00Z', success: 9, failed: 9 },
      ],
    },
  ]
  const buckets = toBuckets(analytics, [{ time: '2026-11-20T12:00:00Z', refused: 9 }], '24h', now)
  expect(buckets.map(({ success }) => success)).toEqual([1, ...Array(23).fill(0)])
  expect(buckets.every(({ refused }) => refused === 0)).toBe(true)
})

test('CSV has a header and one line per bucket, in UTC', () => {
  expect(toCsv([{ start: new Date('2026-11-21T00:00:00Z'), success: 5, failed: 1, refused: 2 }])).toBe(
    'time,success,failed,refused\n2026-11-21T00:00:00.000Z,5,1,2\n',
  )
})

test('an unknown range is the default', () => {
  expect([readRange('7d'), readRange('1y'), readRange(undefined)]).toEqual(['7d', '30d', '30d'])
})
