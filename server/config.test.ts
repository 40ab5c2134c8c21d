import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.ts'

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://finmeter@db/finmeter',
  KEYS_SECRET: '0f'.repeat(32),
  PUBLIC_URL: 'https://api.example.com',
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

  test('production refuses to start without a real sign-in provider, unless the sandbox is named', () => {
    const { GOOGLE_CLIENT_ID: _id, GOOGLE_CLIENT_SECRET: _secret, ...without } = production
    expect(problemsOf(without)).toContain('No sign-in provider')
    expect(loadConfig({ ...without, SANDBOX: 'on' }).sandbox).toBe(true)
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
    expect(problemsOf({ PUBLIC_URL: 'https://api.example.com' })).toContain(problem)
    expect(problemsOf({ PUBLIC_URL: 'https://localhost.example.com' })).toContain(problem)
    expect(loadConfig({ PUBLIC_URL: 'https://api.example.com', SANDBOX: 'on' }).sandbox).toBe(true)
    expect(loadConfig({ PUBLIC_URL: 'https://api.example.com', SANDBOX: 'off' }).sandbox).toBe(false)
    for (const address of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect(loadConfig({ PUBLIC_URL: address }).sandbox).toBe(true)
  })

  test('PUBLIC_URL is an origin', () => {
    expect(problemsOf({ PUBLIC_URL: 'https://example.com/app' })).toContain('PUBLIC_URL is not valid')
    expect(loadConfig({ PUBLIC_URL: 'https://example.com/', SANDBOX: 'off' }).PUBLIC_URL).toBe('https://example.com')
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
