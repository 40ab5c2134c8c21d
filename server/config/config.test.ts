import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.ts'

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://finmeter@db/finmeter',
  KEYS_SECRET: '5e6a2cf28ab1d09c7f30b4e6139d8a57c2f41b8e60d7395aa41c0f9be2773d18',
  PUBLIC_URL: 'https://api.acme.dev',
  GOOGLE_CLIENT_ID: 'id',
  GOOGLE_CLIENT_SECRET: 'secret',
}

const problemsOf = (env: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('the configuration was accepted')
}

describe('loadConfig', () => {
  test('needs nothing on a laptop and turns the sandbox peers on', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://localhost:3000',
      sandbox: true,
      production: false,
      KEYS_REVEAL: 'always',
    })
    expect(config.providers.github).toMatchObject({
      sandbox: true,
      url: 'http://localhost:3000/sandbox/identity/github',
    })
  })

  test('takes an empty variable as absent', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' }).PORT).toBe(3000)
  })

  test('names every wrong variable at once, with the way to a right value', () => {
    const message = problemsOf({ PORT: '70000', KEYS_SECRET: 'short', DATABASE_URL: 'mysql://x' })
    expect(message).toContain('PORT is not valid: expected a number from 0 to 65535.')
    expect(message).toContain(
      'KEYS_SECRET is not valid: expected 64 hexadecimal digits; make one with: openssl rand -hex 32.',
    )
    expect(message).toContain(
      'DATABASE_URL is not valid: expected postgres://user:password@host:5432/database, or embedded.',
    )
  })

  test('several hosts of a database are taken, and wrong ones named', () => {
    const hosts = 'postgres://finmeter@a:5432,b:5432/finmeter?target_session_attrs='
    expect(loadConfig({ DATABASE_URL: `${hosts}read-write` }).DATABASE_URL).toBe(`${hosts}read-write`)
    expect(problemsOf({ DATABASE_URL: `${hosts}standby` })).toContain(
      'DATABASE_URL asks for a server by a target_session_attrs that Finmeter cannot use, because it writes: set target_session_attrs=read-write.',
    )
  })

  test('never repeats a wrong value, which may be a secret', () => {
    expect(problemsOf({ KEYS_SECRET: 'hunter2-hunter2' })).not.toContain('hunter2')
  })

  test('production starts when everything is named', () => {
    expect(loadConfig(production)).toMatchObject({ production: true, sandbox: false })
    expect(loadConfig(production).providers.google).toMatchObject({
      sandbox: false,
      url: 'https://accounts.google.com',
    })
  })

  test.each(['DATABASE_URL', 'KEYS_SECRET', 'PUBLIC_URL'])('production refuses to start without %s', (name) => {
    expect(problemsOf({ ...production, [name]: '' })).toContain(`${name} is missing: production needs`)
  })

  test('production refuses to start without a real sign-in provider', () => {
    const { GOOGLE_CLIENT_ID: _id, GOOGLE_CLIENT_SECRET: _secret, ...without } = production
    expect(problemsOf(without)).toContain('No sign-in provider')
  })

  const weak = 'KEYS_SECRET can be guessed'
  const http = 'PUBLIC_URL is not https'
  const placeholder = 'PUBLIC_URL is a placeholder'
  const everyone = 'TRUST_PROXY trusts everyone'
  const dangers: [NodeJS.ProcessEnv, string][] = [
    [{ SANDBOX: 'on' }, 'SANDBOX is on, and lets anyone sign in as anyone: remove it.'],
    [{ KEYS_SECRET: '0'.repeat(64) }, weak],
    [{ KEYS_SECRET: 'F'.repeat(64) }, weak],
    [{ KEYS_SECRET: 'ab'.repeat(32) }, weak],
    [{ KEYS_SECRET: '0123456789abcdef'.repeat(4) }, weak],
    [{ KEYS_SECRET: '5e6a2cf28ab1d09c7f30b4e6139d8a57'.repeat(2) }, weak],
    [{ KEYS_SECRET: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' }, weak],
    [{ KEYS_SECRET: '1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100' }, weak],
    [{ KEYS_SECRET: '64 hexadecimal digits' }, 'KEYS_SECRET is not valid'],
    [{ PUBLIC_URL: 'http://api.acme.dev' }, http],
    [{ PUBLIC_URL: 'http://localhost:3000' }, http],
    [{ PUBLIC_URL: 'https://api.example.com' }, placeholder],
    [{ PUBLIC_URL: 'https://finmeter.example' }, placeholder],
    [{ PUBLIC_URL: 'https://your.test' }, placeholder],
    [{ TRUST_PROXY: '0.0.0.0/0' }, everyone],
    [{ TRUST_PROXY: '127.0.0.1, 0.0.0.0/1,128.0.0.0/1' }, everyone],
    [{ TRUST_PROXY: '128.0.0.0/1' }, everyone],
    [{ TRUST_PROXY: '::/0' }, everyone],
    [{ TRUST_PROXY: '::ffff:0:0/96' }, everyone],
    [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY is not valid: expected addresses or CIDR ranges'],
    [{ KEYS_SECRET_PREVIOUS: '5E6a2cf28ab1d09c7f30b4e6139d8a57c2f41b8e60d7395aa41c0f9be2773d18' }, 'is the same as'],
  ]
  test.each(dangers)('production refuses to start with %j', (env, problem) => {
    const message = problemsOf({ ...production, ...env })
    expect(message).toContain(problem)
    expect(message.split('\n')).toHaveLength(1)
    for (const value of Object.values(env)) if (value!.length > 30) expect(message).not.toContain(value)
  })

  test('an address that strangers reach is guarded like production, whatever NODE_ENV says', () => {
    const open = { PUBLIC_URL: 'https://api.acme.dev', SANDBOX: 'off' }
    expect(problemsOf({ ...open, KEYS_SECRET: 'ab'.repeat(32) })).toContain(weak)
    expect(problemsOf({ ...open, TRUST_PROXY: '0.0.0.0/0' })).toContain(everyone)
    expect(problemsOf({ ...open, PUBLIC_URL: 'http://api.acme.dev' })).toContain(http)
    expect(problemsOf({ ...open, PUBLIC_URL: 'http://8.8.8.8:3000' })).toContain(http)
    for (const PUBLIC_URL of ['http://192.168.1.5:3000', 'http://app:3000', 'http://box.local'])
      expect(loadConfig({ ...open, PUBLIC_URL, KEYS_SECRET: 'ab'.repeat(32) }).PUBLIC_URL).toBe(PUBLIC_URL)
  })

  test('production accepts its own proxies and a secret to rotate away from, however weak', () => {
    const config = loadConfig({
      ...production,
      TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,173.245.48.0/20,2400:cb00::/32',
      KEYS_SECRET_PREVIOUS: '0'.repeat(64),
    })
    expect(config.trustProxy).toEqual(['127.0.0.1', '10.0.0.0/8', '173.245.48.0/20', '2400:cb00::/32'])
    expect(problemsOf({ KEYS_SECRET_PREVIOUS: '0'.repeat(64) })).toContain('KEYS_SECRET_PREVIOUS needs KEYS_SECRET')
  })

  const secret = 'Z7-AyPyChGNcQsX16cPBV-pPBo4q-zckDxkq1VZjATo'
  const oct = { kty: 'oct', kid: 'a', k: secret, alg: 'HS256', key_ops: ['sign', 'verify'] }
  const badKeys: [string, string][] = [
    ['nonsense', 'AUTH_JWT_KEYS is not valid'],
    ['[]', 'exactly one key must have "sign" in key_ops, found 0'],
    [JSON.stringify([oct, { ...oct, kid: 'b' }]), 'exactly one key must have "sign" in key_ops, found 2'],
    [JSON.stringify([oct, { ...oct, key_ops: ['verify'] }]), 'key 2 repeats a kid'],
    [JSON.stringify([{ ...oct, k: secret.slice(0, 40) }]), 'key 1 must have a k of 32 bytes or more'],
    [JSON.stringify([{ ...oct, k: 7 }]), 'key 1 must have a k in base64url'],
    [JSON.stringify([{ ...oct, alg: 'RS256' }]), 'key 1 must have the alg HS256'],
    [JSON.stringify([{ ...oct, alg: 'none' }]), 'key 1 must have the alg HS256'],
    [JSON.stringify([{ ...oct, kty: 'RSA', n: 'AQAB', e: 'AQAB', alg: 'RS256' }]), 'key 1 must have 2048 bits or more'],
    [
      JSON.stringify([{ ...oct, kty: 'EC', crv: 'P-256', x: 'x', y: 'y', alg: 'ES256' }]),
      'key 1 is not a key of type EC',
    ],
    [JSON.stringify([{ ...oct, kty: 'OKP', crv: 'Ed25519' }]), '0.kty'],
  ]
  test.each(badKeys)('AUTH_JWT_KEYS %s is refused before anything starts', (AUTH_JWT_KEYS, problem) => {
    const message = problemsOf({ AUTH_JWT_KEYS })
    expect(message).toContain('AUTH_JWT_KEYS is not valid: ')
    expect(message).toContain(problem)
    expect(message).not.toContain(secret.slice(0, 40))
  })

  test('AUTH_JWT_KEYS may hold a shared secret', () => {
    const AUTH_JWT_KEYS = JSON.stringify([oct])
    expect(loadConfig({ AUTH_JWT_KEYS }).AUTH_JWT_KEYS).toBe(AUTH_JWT_KEYS)
  })

  test('half a provider is refused', () => {
    expect(problemsOf({ GITHUB_CLIENT_ID: 'id' })).toContain('GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET go together')
  })

  test('sandbox peers do not come up on a public interface by accident', () => {
    expect(problemsOf({ HOST: '0.0.0.0' })).toContain('HOST is not a loopback address while the sandbox peers are on')
    expect(loadConfig({ HOST: '0.0.0.0', SANDBOX: 'on' }).sandbox).toBe(true)
    expect(loadConfig({ HOST: '0.0.0.0', SANDBOX: 'off' }).sandbox).toBe(false)
  })

  test('sandbox peers do not come up behind a public address by accident', () => {
    const problem = 'PUBLIC_URL is not this machine while the sandbox peers are on'
    expect(problemsOf({ PUBLIC_URL: 'https://api.acme.dev' })).toContain(problem)
    expect(problemsOf({ PUBLIC_URL: 'https://localhost.acme.dev' })).toContain(problem)
    expect(loadConfig({ PUBLIC_URL: 'https://api.acme.dev', SANDBOX: 'on' }).sandbox).toBe(true)
    expect(loadConfig({ PUBLIC_URL: 'https://api.acme.dev', SANDBOX: 'off' }).sandbox).toBe(false)
    for (const address of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect(loadConfig({ PUBLIC_URL: address }).sandbox).toBe(true)
  })

  test('PUBLIC_URL is an origin', () => {
    for (const more of ['/app', '?a="', '#a', '/?'])
      expect(problemsOf({ PUBLIC_URL: `https://acme.dev${more}` })).toContain('PUBLIC_URL is not valid')
    for (const host of ['user:secret@acme.dev', 'a"b.dev', "a'b.dev", 'a;b.dev', '$(id).dev', 'a`b.dev'])
      expect(problemsOf({ PUBLIC_URL: `https://${host}` })).toContain('PUBLIC_URL is not valid')
    for (const host of ['acme.dev:8443', '[::1]:3000', 'bücher.dev', 'A_b-1.dev'])
      expect(loadConfig({ PUBLIC_URL: `https://${host}`, SANDBOX: 'off' }).PUBLIC_URL).toBe(`https://${host}`)
    expect(loadConfig({ PUBLIC_URL: 'https://acme.dev/', SANDBOX: 'off' }).PUBLIC_URL).toBe('https://acme.dev')
  })

  describe('and the keys of Stripe', () => {
    const STRIPE_WEBHOOK_SECRET = 'whsec_a1'
    const STRIPE_SECRET_KEY = 'sk_live_51Nxyz'

    test.each([
      [{ STRIPE_SECRET_KEY: 'sk_test_a1' }, 'go together: set both or neither.'],
      [{ STRIPE_WEBHOOK_SECRET }, 'go together: set both or neither.'],
      [{ STRIPE_SECRET_KEY: 'sk_test_a1', STRIPE_WEBHOOK_SECRET: ' ' }, 'STRIPE_WEBHOOK_SECRET is not valid'],
      [{ STRIPE_SECRET_KEY: 'pk_live_a1', STRIPE_WEBHOOK_SECRET }, 'STRIPE_SECRET_KEY is not valid'],
      [
        { NODE_ENV: 'test', STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET },
        'STRIPE_SECRET_KEY is a live key: tests may only use a test key.',
      ],
      [
        { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET },
        'STRIPE_SECRET_KEY is a live key: set NODE_ENV=production, or use a test key.',
      ],
      [
        { ...production, STRIPE_SECRET_KEY: 'rk_live_51Nxyz', STRIPE_WEBHOOK_SECRET, SANDBOX: 'on' },
        'STRIPE_SECRET_KEY is a live key: set SANDBOX=off, since the sandbox lets anyone sign in as anyone.',
      ],
      [
        { ...production, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_URL: 'http://stripe.internal' },
        'STRIPE_SECRET_KEY is a live key: STRIPE_URL must be an https address.',
      ],
    ])('refuses %j, without repeating a key', (env, problem) => {
      const message = problemsOf(env)
      expect(message).toContain(problem)
      expect(message).not.toMatch(/51Nxyz|_a1/)
    })

    test('takes a live key in production, and a test key anywhere', () => {
      const { sandbox } = loadConfig({ ...production, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET })
      expect(sandbox).toBe(false)
      expect(loadConfig({ STRIPE_SECRET_KEY: 'sk_test_a1', STRIPE_WEBHOOK_SECRET }).sandbox).toBe(true)
    })
  })
})
