import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort } from './db/embedded.ts'
import { createTestDatabase } from './testing/harness.ts'
import { startServerProcess } from './testing/process.ts'

const root = join(import.meta.dirname, '..')
const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
const endings: (() => Promise<unknown> | unknown)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: 'ignore',
  })
  endings.push(() => child.kill('SIGTERM'))
  return child
}

interface Answer {
  status: number
  location: string
  text: string
  cookies: string[]
}

/** One request over TLS that trusts this test's certificate; redirects are not followed. */
function ask(url: string, ca: string, options: { method?: string; headers?: object; body?: string } = {}) {
  return new Promise<Answer>((done, failed) => {
    const headers = { ...options.headers, ...(options.body && { 'content-length': Buffer.byteLength(options.body) }) }
    const sent = request(
      url,
      { ca, method: options.method ?? 'GET', headers: headers as Record<string, string> },
      (answer) => {
        let text = ''
        answer.on('data', (part) => {
          text += part
        })
        answer.on('end', () =>
          done({
            status: answer.statusCode ?? 0,
            location: answer.headers.location ?? '',
            text,
            cookies: (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? ''),
          }),
        )
      },
    )
    sent.once('error', failed)
    sent.end(options.body)
  })
}

const listening = (url: string) =>
  expect
    .poll(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)

// Without nginx the test is skipped and reported as such; .ci/run installs it where possible.
test.skipIf(!nginx)(
  'production behind nginx: first sign-in and one payment, peers as separate processes',
  { timeout: 240_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'finmeter-production-'))
    endings.push(() => rmSync(dir, { recursive: true, force: true }))
    const [database, peerDatabase] = [await createTestDatabase(), await createTestDatabase()]
    endings.push(database.drop, peerDatabase.drop)
    const [tls, port, stripePort, identityPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    const publicUrl = `https://localhost:${tls}`
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
      { stdio: 'ignore' },
    )
    const ca = readFileSync(cert, 'utf8')
    writeFileSync(
      join(dir, 'nginx.conf'),
      `daemon off; pid ${dir}/nginx.pid; error_log ${dir}/error.log; events {}
http { access_log off; client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  server { listen 127.0.0.1:${tls} ssl; ssl_certificate ${cert}; ssl_certificate_key ${key};
    location / { proxy_pass http://127.0.0.1:${port}; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto https; } } }`,
    )
    start(nginx!, ['-c', join(dir, 'nginx.conf'), '-p', dir])

    const secret = `whsec_${randomBytes(16).toString('hex')}`
    const client = { id: 'finmeter-production', secret: randomBytes(16).toString('hex') }
    const callback = `${publicUrl}/auth/v1/callback`
    start(
      process.execPath,
      [
        'sandbox/stripe/serve.ts',
        '--database-url',
        peerDatabase.url,
        '--port',
        `${stripePort}`,
        '--webhook-url',
        `${publicUrl}/webhooks/stripe`,
        '--webhook-secret',
        secret,
      ],
      { NODE_EXTRA_CA_CERTS: cert },
    )
    start(process.execPath, [
      'sandbox/identity/serve.ts',
      '--port',
      `${identityPort}`,
      '--client-id',
      client.id,
      '--client-secret',
      client.secret,
      '--callback-url',
      callback,
    ])
    await listening(`http://127.0.0.1:${stripePort}/v1/`)
    await listening(`http://localhost:${identityPort}/`)

    const env = {
      NODE_ENV: 'production',
      PORT: `${port}`,
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: '127.0.0.1',
      DATABASE_URL: database.url,
      KEYS_SECRET: randomBytes(32).toString('hex'),
      FINMETER_DATA_DIR: join(dir, 'data'),
      GITHUB_CLIENT_ID: client.id,
      GITHUB_CLIENT_SECRET: client.secret,
      GITHUB_URL: `http://localhost:${identityPort}/sandbox/identity/github`,
      STRIPE_SECRET_KEY: 'sk_test_production',
      STRIPE_WEBHOOK_SECRET: secret,
      STRIPE_URL: `http://127.0.0.1:${stripePort}`,
    }
    const seed = spawnSync(process.execPath, ['server/cli/billing.ts', 'seed'], {
      cwd: root,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
      encoding: 'utf8',
    })
    expect([seed.status, seed.stdout]).toEqual([0, expect.stringContaining('plans are offered')])
    const server = startServerProcess(env)
    endings.push(server.stop)
    expect(await server.ready).toBe(`Finmeter ready at ${publicUrl}`)
    await expect
      .poll(() =>
        ask(`${publicUrl}/healthz`, ca).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)

    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const query = new URLSearchParams({
      provider: 'github',
      redirect_to: `${publicUrl}/auth/callback`,
      code_challenge: challenge,
      code_challenge_method: 's256',
      login_hint: 'ada@example.com',
      prompt: 'none',
    })
    const toProvider = await ask(`${publicUrl}/auth/v1/authorize?${query}`, ca)
    const fromProvider = await fetch(toProvider.location, { redirect: 'manual' })
    const headers = { cookie: toProvider.cookies.join('; ') }
    const back = await ask(fromProvider.headers.get('location') ?? '', ca, { headers })
    const code = new URL(back.location).searchParams.get('code')
    const session = await ask(`${publicUrl}/auth/v1/token?grant_type=pkce`, ca, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth_code: code, code_verifier: verifier }),
    })
    const authorization = `Bearer ${JSON.parse(session.text).access_token}`
    const get = async (path: string) =>
      JSON.parse((await ask(publicUrl + path, ca, { headers: { authorization } })).text).data

    const { plans } = await get('/api/billing/plans')
    const pro = plans.find(({ name }: { name: string }) => name === 'Pro')
    const opened = await ask(`${publicUrl}/api/billing/checkout`, ca, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ priceId: pro.priceId, trial: false }),
    })
    const { url } = JSON.parse(opened.text).data
    const token = /name="token" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
    const paid = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ token, outcome: 'pay' }),
      redirect: 'manual',
    })
    expect(paid.headers.get('location')).toBe(`${publicUrl}/dashboard/billing/?checkout=success`)
    await expect.poll(async () => (await get('/api/billing/credits')).credits.remaining).toBe(100_000)
    // By the webhook through nginx, not only by the check on return.
    await expect
      .poll(
        async () =>
          (
            await database.db.pool.query(
              "select count(*)::int as n from stripe_events where processed_at is not null and type = 'invoice.paid'",
            )
          ).rows[0].n,
      )
      .toBe(1)

    // What must be refused from outside, and what the log says about it.
    const refusedWebhook = await ask(`${publicUrl}/webhooks/stripe`, ca, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=forged' },
      body: '{"id":"evt_forged"}',
    })
    expect([refusedWebhook.status, JSON.parse(refusedWebhook.text).error]).toEqual([
      400,
      'The signature of this event is not valid.',
    ])
    const refusedPrice = await ask(`${publicUrl}/api/billing/checkout`, ca, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ priceId: 'price_unknown' }),
    })
    expect([refusedPrice.status, JSON.parse(refusedPrice.text).error]).toEqual([404, 'This plan does not exist.'])
    await server.stop()
    const { output } = await server.ended
    expect(output).toContain('a Stripe event was refused')
    for (const secretText of [
      secret,
      env.STRIPE_SECRET_KEY,
      env.KEYS_SECRET,
      client.secret,
      authorization.slice(7),
      'forged',
    ])
      expect(output).not.toContain(secretText)
  },
)
