import { expect, test } from 'vitest'
import { limitsOf } from './key-limits.ts'

const key = {
  id: '',
  name: '',
  unkey: '',
  apiKey: '',
  created_at: '',
  usage_count: 0,
  last_used_at: null,
  last_used_address: null,
  last_used_client: null,
  scopes: null,
  expires_at: null,
  monthly_budget: null,
  budget_left: null,
  rate_limit: null,
  allowed_networks: null,
  previous_until: null,
}

test('a key without limits, or for both surfaces, has nothing to tell', () => {
  expect(limitsOf(key)).toEqual([])
  expect(limitsOf({ ...key, scopes: ['rest', 'mcp'] })).toEqual([])
})

test('each limit is told in a few words; a spent budget has 0 left', () => {
  expect(
    limitsOf({
      ...key,
      scopes: ['mcp'],
      monthly_budget: 5000,
      budget_left: 0,
      rate_limit: 60,
      allowed_networks: ['10.0.0.0/8', '192.0.2.1'],
      expires_at: '2031-02-03T12:00:00.000Z',
    }),
  ).toEqual([
    'MCP only',
    '0 of 5,000 credits left this month',
    '60 requests/min',
    '2 allowed addresses',
    'expires Feb 3, 2031, 12:00 PM UTC',
  ])
  expect(limitsOf({ ...key, scopes: ['rest'], allowed_networks: ['192.0.2.1'] })).toEqual([
    'REST only',
    '1 allowed address',
  ])
  expect(limitsOf({ ...key, scopes: ['read'] })).toEqual(['Reading only'])
})
