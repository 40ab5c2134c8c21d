import { expect, test } from 'vitest'
import type { AuditEntry } from '#contract/account-data.ts'
import { actorText, detailText } from './entry-text.ts'
import { actionText } from './text.ts'

const entry = (target: string | null, detail: AuditEntry['detail']): AuditEntry => ({
  id: 1,
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'user', name: 'Ada', you: false },
  action: 'x.y',
  target,
  detail,
})

test.each([
  [entry(null, { ip: '127.0.0.1', method: 'oauth' }), 'from 127.0.0.1, with Google or GitHub'],
  [entry(null, { keys: 1 }), '1 key'],
  [entry(null, { keys: 12, session: '27f1a507-3d13-4fb0-b394-8d5d9aeb9d49' }), '12 keys'],
  [entry(null, { role: 'admin', email: 'a@example.com' }), 'a@example.com, as admin'],
  [entry('Ada', { from: 'member', to: 'admin' }), 'Ada, from member, to admin'],
  [entry(null, { credits: 50_000, reason: 'Welcome' }), '50,000 credits, “Welcome”'],
  [entry(null, { packs: 1 }), '1 pack of credits'],
  [
    entry(null, { packs: 2, enabled: true, threshold: 1000, monthlyCapCents: null }),
    'on, below 1,000 credits, 2 packs of credits, no monthly limit',
  ],
  [entry(null, { monthlyCapCents: 5000 }), 'at most $50.00 per month'],
  [entry(null, { spendCapCents: 2500, alertThreshold: 80 }), 'spend cap $25.00, alert at 80%'],
  [entry(null, { spendCapCents: null }), 'no spend cap'],
  [entry(null, { rateLimitPerMinute: null }), 'plan limit'],
  [entry(null, { rateLimitPerMinute: 0 }), 'no limit'],
  [entry('github:192966525357', {}), 'GitHub'],
  [entry('price_sbxkQHZ', {}), ''],
  [entry('0620fcbb-dcb3-4acc-ac10-0de58a01ae21', {}), ''],
  [entry(null, { somethingNew: true }), 'somethingNew: true'],
])('%# reads %s', (one, expected) => {
  expect(detailText(one)).toBe(expected)
})

test('a key that was sent reads differently from a list of keys, also in entries of earlier releases', () => {
  expect(actionText('key.revealed', 'Production')).toBe('API key sent with its value')
  expect(actionText('key.listed', null)).toBe('API key list sent with values')
  expect(actionText('key.revealed', null)).toBe('API key list sent with values')
  expect(actionText('some.new_thing', null)).toBe('Some new thing')
})

test('the reader, another person, the operator, a service key, the server itself', () => {
  expect(actorText({ kind: 'user', name: 'Ada', you: true })).toBe('You')
  expect(actorText({ kind: 'user', name: 'Ada', you: false })).toBe('Ada')
  expect(actorText({ kind: 'system', name: 'operator', you: false })).toBe('Operator')
  expect(actorText({ kind: 'system', name: 'service_key', you: false })).toBe('Service key')
  expect(actorText({ kind: 'system', name: 'deletion', you: false })).toBe('Finmeter')
})
