import { expect, test } from 'vitest'
import type { AuditEntry } from '#contract/account-data.ts'
import { actorText, detailText, hasWords } from './entry-text.ts'
import { actionText } from './text.ts'

const entry = (target: string | null, detail: AuditEntry['detail']): AuditEntry => ({
  id: 1,
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'user', name: 'Ada', avatar_url: null, you: false },
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
  [entry(null, { rateLimitPerMinute: null }), 'back to the rate limit of the plan'],
  [entry(null, { rateLimitPerMinute: 0 }), 'no limit'],
  [entry('github:192966525357', {}), 'GitHub'],
  [entry('price_sbxkQHZ', {}), ''],
  [entry('0620fcbb-dcb3-4acc-ac10-0de58a01ae21', {}), ''],
  [entry('Backtests', { graceSeconds: 0 }), 'Backtests, old key revoked immediately'],
  [entry('Backtests', { graceSeconds: 3600 }), 'Backtests, old key valid for 1 hour'],
  [entry('Backtests', { graceSeconds: 604_800 }), 'Backtests, old key valid for 7 days'],
  [
    entry('Backtests', { scopes: 'mcp', monthlyBudget: 500, rateLimit: 30, allowedNetworks: null, expiresAt: null }),
    'Backtests, MCP only, 500 credits per month, 30 requests per minute, from any address, no expiry',
  ],
  [entry('Sheet', { scopes: 'read' }), 'Sheet, reading only'],
  [
    entry('Backtests', { scopes: null, monthlyBudget: null, rateLimit: null }),
    'Backtests, REST API and MCP, no monthly budget, no rate limit of its own',
  ],
  [
    entry('Backtests', { name: 'Backtests', formerName: 'Old', allowedNetworks: '10.0.0.0/8' }),
    'Backtests, was “Old”, only from 10.0.0.0/8',
  ],
  [entry('Newest', { name: 'Backtests', formerName: 'Old' }), 'Newest, new name “Backtests”, was “Old”'],
  [entry(null, { expiresAt: '2031-02-03T23:30:00Z' }), 'expires Feb 3, 2031, 11:30 PM UTC'],
  [entry(null, { somethingNew: true }), 'something new: yes'],
  [entry(null, { somethingNew: 'x' }), 'something new: x'],
])('%# reads %s', (one, expected) => {
  expect(detailText(one)).toBe(expected)
})

test('a key that was sent reads differently from a list of keys, also in entries of earlier releases', () => {
  const said = (action: string, target: string | null) => actionText({ action, target, detail: {} })
  expect(said('key.revealed', 'Production')).toBe('API key viewed with its value')
  expect(said('key.listed', null)).toBe('API keys viewed with their values')
  expect(said('key.revealed', null)).toBe('API keys viewed with their values')
  expect(said('some.new_thing', null)).toBe('Some new thing')
})

test.each([
  ['key.updated', { name: 'New', formerName: 'Old' }, 'API key renamed'],
  ['key.updated', { scopes: 'mcp' }, 'Use of API key changed'],
  ['key.updated', { expiresAt: null }, 'Expiry of API key changed'],
  ['key.updated', { monthlyBudget: 500 }, 'Budget of API key changed'],
  ['key.updated', { rateLimit: 30 }, 'Rate limit of API key changed'],
  ['key.updated', { allowedNetworks: '10.0.0.0/8' }, 'Addresses of API key changed'],
  ['key.updated', { rateLimit: 30, monthlyBudget: null }, 'API key limits changed'],
  ['key.updated', { name: 'New', formerName: 'Old', rateLimit: 30 }, 'API key renamed, limits changed'],
  ['limits.changed', { rateLimitPerMinute: 60 }, 'Rate limit changed'],
  ['preferences.changed', { alertThreshold: 80 }, 'Usage alert changed'],
  ['preferences.changed', { spendCapCents: 2500 }, 'Spend cap changed'],
  ['preferences.changed', { alertThreshold: 80, spendCapCents: null }, 'Preferences changed'],
  ['member.left', { name: 'Ada' }, 'Left the workspace'],
  ['key.listed', { keys: 1 }, 'API key viewed with its value'],
  ['key.listed', { keys: 2 }, 'API keys viewed with their values'],
])('%s of %o is “%s”', (action, detail, words) => {
  expect(actionText({ action, target: action === 'key.listed' ? null : 'X', detail })).toBe(words)
})

test('the reader, another person, the operator, a service key, the server itself', () => {
  expect(actorText({ kind: 'user', name: 'Ada', avatar_url: null, you: true })).toBe('You')
  expect(actorText({ kind: 'user', name: 'Ada', avatar_url: null, you: false })).toBe('Ada')
  expect(actorText({ kind: 'system', name: 'operator', avatar_url: null, you: false })).toBe('Operator')
  expect(actorText({ kind: 'system', name: 'service_key', avatar_url: null, you: false })).toBe('Service key')
  expect(actorText({ kind: 'system', name: 'deletion', avatar_url: null, you: false })).toBe('Finmeter')
})

test('a search finds all its words in what an entry reads', () => {
  const entry = {
    id: 1,
    time: '2026-11-26T10:00:00Z',
    actor: { kind: 'user' as const, name: 'Ada', avatar_url: null, you: true },
    action: 'key.deleted',
    target: 'Backtests',
    detail: { ip: '127.0.0.1' },
  }
  for (const typed of ['', 'DELETED key', 'backtests you', 'ada 127.0', '  '])
    expect([typed, hasWords(entry, typed)]).toEqual([typed, true])
  for (const typed of ['created', 'backtests grace']) expect([typed, hasWords(entry, typed)]).toEqual([typed, false])
})
