import { expect, test } from 'vitest'
import { ageOf, secondsSince, staleWarnings } from './dataset-age.ts'
import type { Manifest } from './manifest.ts'

const fetched = { id: 'yields', retrieved_at: '2026-11-20T12:00:00.000Z', stale_after_hours: 48 } as Manifest

test.each([
  ['2026-11-20T18:30:00Z', 6.5, false],
  ['2026-11-22T12:00:00Z', 48, false],
  ['2026-11-22T13:00:00Z', 49, true],
])('at %s data is %d hours old', (now, hours, stale) => {
  expect(ageOf(fetched, Date.parse(now))).toEqual({
    dataset: 'yields',
    retrieved_at: '2026-11-20T12:00:00.000Z',
    age_hours: hours,
    stale,
  })
  expect(staleWarnings(fetched, Date.parse(now))).toEqual(
    stale ? ['Not refreshed since 2026-11-20T12:00:00.000Z; newer data may exist at the source.'] : [],
  )
})

test('data that nobody fetches has no age', () => {
  expect(ageOf({ id: 'own' } as Manifest, 0)).toBeNull()
})

test('the age for metrics is exact, and never below 0', () => {
  const age = { retrieved_at: '2026-11-20T00:00:00Z' }
  expect(secondsSince(age, Date.parse('2026-11-20T00:00:07Z'))).toBe(7)
  expect(secondsSince(age, Date.parse('2026-11-19T00:00:00Z'))).toBe(0)
})
