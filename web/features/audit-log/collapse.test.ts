import { expect, test } from 'vitest'
import type { AuditEntry } from '#contract/account-data.ts'
import { collapse } from './collapse.ts'

const entry = (id: number, action: string, detail: AuditEntry['detail'] = {}): AuditEntry => ({
  id,
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'user', name: 'Ada', you: true },
  action,
  target: null,
  detail,
})

test('merges adjacent entries that differ only in time', () => {
  const entries = [
    entry(5, 'key.revealed', { keys: 1 }),
    entry(4, 'key.revealed', { keys: 1 }),
    entry(3, 'key.revealed', { keys: 2 }),
    entry(2, 'key.created'),
    entry(1, 'key.revealed', { keys: 2 }),
  ]
  expect(collapse(entries).map(({ entry: { id }, count }) => [id, count])).toEqual([
    [5, 2],
    [3, 1],
    [2, 1],
    [1, 1],
  ])
})

test('an empty log stays empty', () => {
  expect(collapse([])).toEqual([])
})
