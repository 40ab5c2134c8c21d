import { expect, test } from 'vitest'
import type { AuditEntry } from '#contract/account-data.ts'
import { byDay } from './by-day.ts'

const entry = (id: number, time: string, action: string, detail: AuditEntry['detail'] = {}): AuditEntry => ({
  id,
  // Without a zone: the reader's.
  time: new Date(time).toISOString(),
  actor: { kind: 'user', name: 'Ada', avatar_url: null, you: true },
  action,
  target: null,
  detail,
})

test('groups by day, newest first by time, and folds what reads the same on one day', () => {
  const days = byDay([
    entry(9, '2026-01-02T09:00', 'key.listed', { keys: 1, session: 'a' }),
    entry(8, '2026-01-03T08:00', 'key.created'),
    entry(7, '2026-01-02T10:00', 'key.listed', { keys: 1, session: 'b' }),
    entry(6, '2026-01-02T09:30', 'key.created'),
    entry(5, '2026-01-02T08:00', 'key.listed', { keys: 1, session: 'a' }),
    entry(4, '2026-01-02T07:00', 'key.listed', { keys: 2, session: 'a' }),
    entry(3, '2026-01-01T23:59', 'key.listed', { keys: 1, session: 'a' }),
  ])
  expect(days.map(({ day, runs }) => [day, runs.map(({ entry: { id }, count }) => [id, count])])).toEqual([
    ['Sat, Jan 3, 2026', [[8, 1]]],
    [
      'Fri, Jan 2, 2026',
      [
        [7, 3],
        [6, 1],
        [4, 1],
      ],
    ],
    ['Thu, Jan 1, 2026', [[3, 1]]],
  ])
  expect(days[1]?.runs[0]?.since).toBe(new Date('2026-01-02T08:00').toISOString())
})

test('different people are not folded', () => {
  const one = entry(2, '2026-01-02T09:00', 'auth.signed_in')
  const other = { ...entry(1, '2026-01-02T08:00', 'auth.signed_in'), actor: { ...one.actor, name: 'Bob', you: false } }
  expect(byDay([one, other])[0]?.runs).toHaveLength(2)
})

test('an empty log stays empty', () => {
  expect(byDay([])).toEqual([])
})
