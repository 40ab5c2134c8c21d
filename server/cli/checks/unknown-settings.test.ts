import { expect, test } from 'vitest'
import { unknownSettings } from './unknown-settings.ts'

const known = [
  'PORT',
  'HOST',
  'STRIPE_SECRET_KEY',
  'SMTP_URL',
  'KEYS_SECRET',
  'GITHUB_CLIENT_ID',
  'REDIS_URL',
  'TRUST_PROXY',
]
const meant = (...names: string[]) => unknownSettings(names, known).map(({ name, meant }) => [name, meant])

test.each([
  ['STRIPE_SECRETKEY', 'STRIPE_SECRET_KEY'],
  ['KEYS_SECRT', 'KEYS_SECRET'],
  ['KYES_SECRET', 'KEYS_SECRET'],
  ['GITHUB_CLIENTID', 'GITHUB_CLIENT_ID'],
  ['REDIS_URI', 'REDIS_URL'],
  ['stripe_secret_key', 'STRIPE_SECRET_KEY'],
  ['TRUST_PROXIES', 'TRUST_PROXY'],
  ['PORTS', 'PORT'],
])('%s may be %s', (name, setting) => {
  expect(meant(name)).toEqual([[name, setting]])
})

test('one of our families without a likeness has no suggestion', () => {
  expect(meant('MAIL_TRANSPORT_ENCRYPTION')).toEqual([['MAIL_TRANSPORT_ENCRYPTION', null]])
})

test('settings themselves, and what shells, containers and CI set, are nobody else’s business', () => {
  expect(
    meant(
      ...known,
      'PATH',
      'HOME',
      'HOSTNAME',
      'SHELL',
      'PWD',
      'TERM',
      'LANG',
      'NODE_OPTIONS',
      'GITHUB_TOKEN',
      'GITHUB_ACTIONS',
      'PGHOST',
      'PGPORT',
      'npm_config_cache',
      'REDIS_PORT',
    ),
  ).toEqual([])
})
