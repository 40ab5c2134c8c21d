import { expect, test } from 'vitest'
import { latencyFigure, rangeText, requestsFigure, successFigure } from './figure-notes.ts'

const usage = (totalRequests: number, failedRequests: number, p95: number | null = 13) => ({
  totalRequests,
  failedRequests,
  avgSuccessRate: totalRequests === 0 ? 0 : ((totalRequests - failedRequests) / totalRequests) * 100,
  latency: p95 === null ? null : { p50: 5, p95, p99: 99 },
  requestsThisMonth: 4321,
})

test.each([
  [usage(1200, 0), null, '4,321 this month'],
  [usage(1200, 0), usage(1000, 0), 'Up 20% from 1,000'],
  [usage(500, 0), usage(1000, 0), 'Down 50% from 1,000'],
  [usage(1001, 0), usage(1000, 0), 'Up less than 1% from 1,000'],
  [usage(1000, 0), usage(1000, 0), 'No change'],
  [usage(3, 0), usage(0, 0, null), 'Up from none'],
  [usage(0, 0, null), usage(0, 0, null), 'None in the previous period'],
])('requests: %o after %o', (now, before, note) => {
  expect(requestsFigure(now, before).note).toBe(note)
})

test('the success rate is never rounded up, and changes in points', () => {
  expect(successFigure(usage(100_000, 1), null)).toEqual({ value: '99.9%', note: '1 failed' })
  expect(successFigure(usage(10, 0), usage(1000, 8))).toEqual({ value: '100%', note: 'Up 0.8 points from 99.2%' })
  expect(successFigure(usage(10, 1), usage(10, 0))).toEqual({ value: '90%', note: 'Down 10 points from 100%' })
  expect(successFigure(usage(10, 1), usage(10, 1)).note).toBe('No change')
  expect(successFigure(usage(0, 0, null), usage(10, 1))).toEqual({ value: '–', note: 'No requests' })
})

test('the p95 latency changes in milliseconds; without one before, the median is next to it', () => {
  expect(latencyFigure(usage(1, 0, 1500), null)).toEqual({ value: '1,500 ms', note: 'Median 5 ms' })
  expect(latencyFigure(usage(1, 0, 0), usage(1, 0, 13))).toEqual({ value: '< 1 ms', note: 'Down 13 ms from 13 ms' })
  expect(latencyFigure(usage(0, 0, null), usage(1, 0))).toEqual({ value: '–', note: 'No requests' })
})

test('the range is named, and the one before only if there is one', () => {
  expect(rangeText('24h', null)).toBe('Last 24 hours.')
  expect(rangeText('7d', usage(0, 0, null))).toBe(
    'Last 7 days, compared with the previous 7 days, up to the same hour.',
  )
})
