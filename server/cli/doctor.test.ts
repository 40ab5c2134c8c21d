import Fastify from 'fastify'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerSandboxIdentity } from '#sandbox/identity/register.ts'
import { startSandboxMail } from '#sandbox/mail/start-mail.ts'
import { createStripeSandbox } from '#sandbox/stripe/sandbox.ts'
import { freePort } from '../db/embedded.ts'
import { startBucket } from '../features/datasets/testing/local-bucket.ts'
import { applyShop, undoShop } from '../features/shop/apply.ts'
import { shopOf } from '../features/shop/testing/northwind.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { insertAccount, insertKey } from '../testing/factories.ts'
import { createTestDatabase, startTestServer } from '../testing/harness.ts'
import { runDoctor } from '../testing/run-admin.ts'

const server = await closeAfterTests(startTestServer())

const doctor = (more: NodeJS.ProcessEnv = {}, ...words: string[]) => runDoctor(server.databaseUrl, words, more)

test('a sound installation is all ok', async () => {
  // The tests' database skips fsync, which doctor must report.
  const { rows } = await server.db.pool.query<{ fsync: string }>('show fsync')
  const durable = rows[0]?.fsync === 'on'
  const { code, out } = await doctor()
  expect(out.split('\n').filter((line) => line.startsWith('WRONG'))).toEqual(
    durable ? [] : ['WRONG  fsync is off: charges can be lost in a power cut; set it to on'],
  )
  if (durable) expect(out).toContain('ok     fsync is on')
  expect(out).toContain('ok     credits: every invariant holds')
  expect(code).toBe(durable ? 0 : 1)
})

test('a balance that the ledger does not explain is found, with exit code 1', async () => {
  const id = await insertAccount(server.db)
  await server.db.pool.query('update credit_accounts set balance = 5 where account_id = $1', [id])
  const { code, out } = await doctor()
  expect(out).toContain(`WRONG  credits: {"invariant":"I2","detail":"account ${id}: balance 5, live 0, unsettled 0"}`)
  expect(code).toBe(1)
  await server.db.pool.query('update credit_accounts set balance = 0 where account_id = $1', [id])
})

test('a paid plan without credits is reported', async () => {
  await server.db.pool.query("update plans set metadata = metadata - 'credits' where name = 'Pro'")
  const { code, out } = await doctor()
  expect(out).toContain('WRONG  plan Pro has no credits set and gets 1,000: set metadata.credits')
  expect(code).toBe(1)
})

test('in production, an installation without a name is reported, with what its home page is', async () => {
  const said = async (...words: string[]) =>
    /^(?:note|ok) +(.*(?:no name of its own|is named).*)$/m.exec((await doctor({}, ...words)).out)?.[1]
  expect(await said()).toBeUndefined()
  expect(await said('--production')).toBe(
    'this installation has no name of its own. Its home page is the one for those who install Finmeter. Name it: npm run shop -- apply shop.yaml',
  )
  await insertKey(server.db, await insertAccount(server.db))
  expect(await said('--production')).toContain('Customers see the demonstration shop of Finmeter.')
  await applyShop(server.db.kysely, shopOf('Northwind Weather'))
  expect(await said('--production')).toBe('the shop is named Northwind Weather')
  await undoShop(server.db.kysely)
})

test('a wrong setting is a sentence with exit code 1', async () => {
  const { code, err } = await doctor({ KEYS_SECRET: 'short' })
  expect(err).toContain('KEYS_SECRET is not valid: expected 64 hexadecimal digits')
  expect(code).toBe(1)
})

test('the wrong KEYS_SECRET for this database is found', async () => {
  const { code, out } = await doctor({ KEYS_SECRET: 'cd'.repeat(32) })
  expect(out).toContain('WRONG  KEYS_SECRET is not the one that this database was encrypted with.')
  expect(code).toBe(1)
})

test('variables that look like ours are named, without their values', async () => {
  const { out } = await doctor({ STRIPE_SECRETKEY: 'sk_live_hidden', GITHUB_TOKEN: 'x', KEYS_SECERT: 'hidden' })
  expect(out.split('\n').filter((line) => line.startsWith('note'))).toEqual([
    'note   STRIPE_SECRETKEY is not a setting of Finmeter: did you mean STRIPE_SECRET_KEY?',
    'note   KEYS_SECERT is not a setting of Finmeter: did you mean KEYS_SECRET?',
  ])
  expect(out).not.toContain('hidden')
})

describe('--production', () => {
  const secrets = {
    KEYS_SECRET: '5e6a2cf28ab1d09c7f30b4e6139d8a57c2f41b8e60d7395aa41c0f9be2773d18',
    GITHUB_CLIENT_SECRET: 'hidden-github-secret',
    STRIPE_SECRET_KEY: 'sk_test_hiddenstripekey',
    STRIPE_WEBHOOK_SECRET: 'whsec_hidden',
  }
  const lines = (out: string, kind: string) =>
    out.split('\n').filter((line) => line.startsWith(kind) && !line.includes('fsync is off'))
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  const endings: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(async () => {
    for (const end of endings.reverse()) await end()
    await database.drop()
  })
  const production = (env: NodeJS.ProcessEnv) => runDoctor(database.url, ['--production'], env)

  test('real peers that answer are ok, and nothing fails', async () => {
    const [port, stripeDatabase, mail] = [await freePort(), await createTestDatabase(), await startSandboxMail()]
    const publicUrl = 'https://api.acme.dev'
    const stripe = await createStripeSandbox({
      connectionString: stripeDatabase.url,
      publicUrl: `http://127.0.0.1:${port}`,
      webhookSecret: 'whsec_hidden',
      tickMs: 0,
      deliver: async () => 200,
      onError: () => {},
    })
    const app = Fastify()
    await registerSandboxIdentity(app, {
      publicUrl: `http://127.0.0.1:${port}`,
      clientId: 'doctor',
      clientSecret: 'hidden-github-secret',
      callbackUrl: `${publicUrl}/auth/v1/callback`,
    })
    await app.register(stripe.api)
    await app.listen({ port, host: '127.0.0.1' })
    endings.push(
      stripeDatabase.drop,
      () => mail.close(),
      () => stripe.stop(),
      () => app.close(),
    )
    const env = {
      ...secrets,
      NODE_ENV: 'production',
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: '127.0.0.1',
      SMTP_URL: mail.smtpUrl,
      SUPPORT_EMAIL: 'help@acme.dev',
      GITHUB_CLIENT_ID: 'doctor',
      GITHUB_URL: `http://127.0.0.1:${port}/sandbox/identity/github`,
      AUTH_URL: server.url,
      AUTH_ANON_KEY: 'hidden-anon',
      GOOGLE_CLIENT_ID: 'doctor',
      GOOGLE_CLIENT_SECRET: 'hidden-github-secret',
      GOOGLE_URL: `http://127.0.0.1:${port}/sandbox/identity/google`,
      STRIPE_URL: `http://127.0.0.1:${port}`,
    }
    const { out } = await production(env)
    expect(lines(out, 'WRONG')).toEqual(['WRONG  0 plans in the catalog'])
    expect(lines(out, 'ok').slice(0, 14)).toEqual([
      'ok     configuration is valid',
      'ok     mode',
      'ok     public address',
      'ok     limits',
      'ok     confirmed addresses',
      'ok     mail',
      'ok     encrypted connections',
      'ok     addresses',
      'ok     mail server answers',
      'ok     Google answers',
      'ok     GitHub answers',
      'ok     sign-in service answers',
      'ok     Stripe answers',
      'ok     database answers, migrations are applied',
    ])
    const refused = await production({
      ...env,
      GOOGLE_CLIENT_SECRET: 'hidden-other',
      GITHUB_CLIENT_SECRET: 'hidden-other',
      GOOGLE_URL: `http://127.0.0.1:${port}/sandbox/identity/google`,
    })
    expect(lines(refused.out, 'WRONG').slice(0, 2)).toEqual([
      'WRONG  Google: it does not accept the client: check GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET and GOOGLE_URL.',
      'WRONG  GitHub: it does not accept the client: check GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET and GITHUB_URL.',
    ])
    expect(refused.code).toBe(1)
    expect(out + refused.out + refused.err).not.toMatch(/hidden|5e6a2cf2/)
  })

  test('dead peers fail, each with what to check', async () => {
    const dead = `127.0.0.1:${await freePort()}`
    const { code, out } = await production({
      ...secrets,
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://api.acme.dev',
      SUPPORT_EMAIL: 'help@acme.dev',
      SMTP_URL: `smtp://me:hidden-mail@${dead}`,
      REDIS_URL: `redis://:hidden-redis@${dead}`,
      GITHUB_CLIENT_ID: 'doctor',
      GITHUB_URL: `http://${dead}`,
      GOOGLE_CLIENT_ID: 'doctor',
      GOOGLE_CLIENT_SECRET: 'hidden-google',
      GOOGLE_URL: `http://${dead}`,
      AUTH_URL: `http://${dead}`,
      AUTH_ANON_KEY: 'hidden-anon',
      STRIPE_URL: `http://${dead}`,
      DATA_URL: 's3://data/finmeter',
      AWS_ENDPOINT_URL_S3: `http://${dead}`,
      AWS_ACCESS_KEY_ID: 'hidden-id',
      AWS_SECRET_ACCESS_KEY: 'hidden-aws',
    })
    expect(code).toBe(1)
    expect(lines(out, 'WRONG  bucket of DATA_URL: it does not answer at AWS_ENDPOINT_URL_S3')).toHaveLength(1)
    for (const peer of ['mail server', 'Redis', 'Google', 'GitHub', 'sign-in service', 'Stripe'])
      expect(lines(out, `WRONG  ${peer}: does not answer as it should (`)).toHaveLength(1)
    expect(out).not.toContain('hidden')
  })

  test('a bucket that answers, and one that refuses the key', async () => {
    const bucket = await startBucket()
    const { accessKeyId, secretAccessKey } = bucket.place.access
    const settings = {
      ...secrets,
      DATA_URL: 's3://data/finmeter',
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
    }
    const fine = await production({ ...settings, AWS_SECRET_ACCESS_KEY: secretAccessKey })
    expect(lines(fine.out, 'ok     bucket of DATA_URL answers')).toHaveLength(1)
    const refused = await production({ ...settings, AWS_SECRET_ACCESS_KEY: 'hidden-aws' })
    expect(lines(refused.out, 'WRONG  bucket of DATA_URL: ')).toEqual([
      'WRONG  bucket of DATA_URL: it refuses AWS_ACCESS_KEY_ID or has no such bucket (403 SignatureDoesNotMatch).',
    ])
    expect(refused.out + refused.err).not.toContain('hidden-aws')
    await bucket.stop()
  })

  test('a mail server and a Stripe that refuse the credentials', async () => {
    const mail = new SMTPServer({
      authOptional: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
      disabledCommands: ['STARTTLS'],
    })
    await new Promise<void>((done) => mail.listen(0, '127.0.0.1', done))
    const stripe = Fastify()
    stripe.get('/v1/products', async (_request, reply) =>
      reply
        .code(401)
        .send({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_hidden' } }),
    )
    await stripe.listen({ port: 0, host: '127.0.0.1' })
    endings.push(
      () => new Promise<void>((done) => void mail.close(done)),
      () => stripe.close(),
    )
    const smtp = (mail.server.address() as { port: number }).port
    const { out } = await production({
      ...secrets,
      SMTP_URL: `smtp://me:hidden-mail@127.0.0.1:${smtp}`,
      STRIPE_URL: stripe.listeningOrigin,
    })
    expect(out).toContain('WRONG  mail server: it refuses the user name or password in SMTP_URL.')
    expect(out).toContain('WRONG  Stripe: it refuses STRIPE_SECRET_KEY')
    expect(out).not.toContain('hidden')
  })

  test('what a start would refuse, and what it would not, is all listed', async () => {
    const { code, out } = await production({
      KEYS_SECRET: '0'.repeat(64),
      NODE_ENV: 'development',
      PUBLIC_URL: 'http://finmeter.example',
      SANDBOX: 'on',
      TRUST_PROXY: '0.0.0.0/0',
      AUTH_RATE_LIMITS: 'off',
      AUTH_AUTOCONFIRM: 'on',
      DOCS_URL: 'https://docs.example.com',
      AUTH_SMS_URL: 'http://sms.acme.dev',
      AUTH_SMS_SECRET: `whsec_${'a'.repeat(32)}`,
      SMTP_HOST: 'mail.acme.dev',
    })
    expect(code).toBe(1)
    for (const problem of [
      'KEYS_SECRET can be guessed',
      'PUBLIC_URL is not https',
      'PUBLIC_URL is a placeholder',
      'TRUST_PROXY trusts everyone',
      'SANDBOX is on',
      'No sign-in provider',
      'mode: NODE_ENV is not production',
      'limits: AUTH_RATE_LIMITS is off',
      'confirmed addresses: AUTH_AUTOCONFIRM is on',
      'mail: SMTP_URL is missing',
      'encrypted connections: AUTH_SMS_URL: use an https address.',
      'addresses: DOCS_URL, SUPPORT_EMAIL: replace the placeholder with your own.',
      'SMTP_HOST is not a setting of Finmeter: did you mean SMTP_URL?',
    ])
      expect(lines(out, `WRONG  ${problem}`)).toHaveLength(1)
  })

  test('no database is one line more, not the end', async () => {
    const { out } = await runDoctor(`postgres://me:hidden@127.0.0.1:${await freePort()}/x`, ['--production'], secrets)
    expect(out).toMatch(/WRONG {2}The database cannot be used: connect ECONNREFUSED/)
    expect(out).not.toContain('hidden')
  })
})
