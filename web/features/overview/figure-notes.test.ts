import { expect, test } from 'vitest'
import { figuresOf, latencyFigure, rangeText } from './figure-notes.ts'

const usage = (totalRequests: number, failedRequests: number, p95: number | null = 13, refusedRequests = 0) => ({
  totalRequests,
  successfulRequests: totalRequests - failedRequests,
  failedRequests,
  refusedRequests,
  avgSuccessRate: totalRequests === 0 ? 0 : ((totalRequests - failedRequests) / totalRequests) * 100,
  latency: p95 === null ? null : { p50: 5, p95, p99: 99 },
  requestsThisMonth: 4321,
})

test.each([
  [usage(1200, 0), null, '4,321 requests this month'],
  [usage(1200, 0), usage(1000, 0), 'Up 20% from 1,000'],
  [usage(500, 0), usage(1000, 0), 'Down 50% from 1,000'],
  [usage(1001, 0), usage(1000, 0), 'Up less than 1% from 1,000'],
  [usage(1000, 0), usage(1000, 0), 'No change'],
  [usage(3, 0), usage(0, 0, null), 'Up from none'],
  [usage(0, 0, null), usage(0, 0, null), 'None in the previous period'],
])('success: %o after %o', (now, before, note) => {
  expect(figuresOf(now, before).success.note).toBe(note)
})

test('one request is singular', () =>
  expect(figuresOf({ ...usage(1, 0), requestsThisMonth: 1 }, null).success.note).toBe('1 request this month'))

test('a call that failed is no success, in either period', () => {
  expect(figuresOf(usage(1000, 100), usage(1000, 250)).success).toEqual({ value: '900', note: 'Up 20% from 750' })
})

test('what failed and what was refused are shares of all requests', () => {
  const notes = (...args: Parameters<typeof usage>) => {
    const { failed, refused } = figuresOf(usage(...args), null)
    return [`${failed.value}: ${failed.note}`, `${refused.value}: ${refused.note}`]
  }
  expect(notes(2685, 0, 13, 116)).toEqual(['0: 0% of requests', '116: 4% of requests'])
  expect(notes(1000, 1, 13, 1200)).toEqual(['1: < 1% of requests', '1,200: 55% of requests'])
  expect(notes(0, 0, null, 2)).toEqual(['0: 0% of requests', '2: 100% of requests'])
  expect(notes(0, 0, null)).toEqual(['0: 0% of requests', '0: 0% of requests'])
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
