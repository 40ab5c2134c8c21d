import { expect, test } from 'vitest'
import { formatUtcMoment } from '../../lib/format.ts'
import { changedControls, noControls, toControls, toFields } from './control-fields.ts'

test('an empty form sets no limits', () => {
  expect(toControls(noControls)).toEqual({
    scopes: null,
    expiresAt: null,
    monthlyBudget: null,
    rateLimit: null,
    allowedNetworks: null,
  })
})

test('networks are separated by lines, commas or spaces; numbers are numbers', () => {
  expect(
    toControls({
      use: 'mcp',
      expires: '',
      budget: '500',
      rate: '1.5',
      networks: ' 10.0.0.0/8,\n2001:db8::/32  203.0.113.7\n',
    }),
  ).toMatchObject({
    scopes: ['mcp'],
    monthlyBudget: 500,
    rateLimit: 1.5,
    allowedNetworks: ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7'],
  })
})

test('a key’s limits fill the form, and saving them unchanged changes nothing', () => {
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
    scopes: ['rest' as const],
    expires_at: '2031-02-03T04:05:00.000Z',
    monthly_budget: 7,
    budget_left: 3,
    rate_limit: 60,
    allowed_networks: ['10.0.0.0/8'],
    previous_until: null,
  }
  expect(changedControls(toFields(key), key)).toEqual({})
  expect(changedControls({ ...toFields(key), rate: '', use: 'both' }, key)).toEqual({ rateLimit: null, scopes: null })
  expect(toControls(toFields(key))).toEqual({
    scopes: ['rest'],
    expiresAt: '2031-02-03T04:05:00.000Z',
    monthlyBudget: 7,
    rateLimit: 60,
    allowedNetworks: ['10.0.0.0/8'],
  })
})

test('an expiry is UTC wherever the reader is, in the form, in the list and in the audit log', () => {
  const zone = process.env.TZ
  process.env.TZ = 'America/New_York'
  try {
    const { expiresAt } = toControls({ ...noControls, expires: '2031-02-03T23:30' })
    expect(expiresAt).toBe('2031-02-03T23:30:00.000Z')
    expect(formatUtcMoment(expiresAt!)).toBe('Feb 3, 2031, 11:30 PM UTC')
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})
