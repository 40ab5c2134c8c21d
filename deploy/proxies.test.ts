import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
const caddy = spawnSync('caddy', ['version']).status === 0
const dir = mkdtempSync(join(tmpdir(), 'finmeter-proxies-'))
const endings: (() => Promise<unknown> | unknown)[] = [() => rmSync(dir, { recursive: true, force: true })]
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(async () => {
  for (const end of endings.reverse()) await end()
  await server?.close()
})

const secret = 'fm_secretsecretsecretsecretsecretsecret12'

/** A request with the key in its address and in the page it came from. Returns the status, or 0 while nothing listens. */
const ask = (url: string, path: string): Promise<number> => {
  const headers = { referer: `https://page.example/?apikey=${secret}` }
  if (url.startsWith('http:'))
    return fetch(url + path, { headers }).then(
      ({ status }) => status,
      () => 0,
    )
  return new Promise((done) =>
    request(url + path, { headers, rejectUnauthorized: false, servername: 'api.example.com' }, (answer) => {
      answer.resume().on('end', () => done(answer.statusCode ?? 0))
    })
      .once('error', () => done(0))
      .end(),
  )
}

function start(command: string, words: string[], env: NodeJS.ProcessEnv = {}): () => string {
  const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  endings.push(() => child.kill('SIGTERM'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      output += part
    })
  return () => output
}

/** Asks once through a proxy with the server behind it, once with nothing behind it: proxies write errors elsewhere. */
async function askBoth(served: string, alone: string): Promise<void> {
  await expect.poll(() => ask(served, '/healthz')).toBe(200)
  await expect.poll(() => ask(alone, '/healthz')).toBe(502)
  expect(await ask(served, `/v1/bars/AAPL?apikey=${secret}`)).toBe(401)
  expect(await ask(alone, `/v1/bars/MSFT?APIKEY=${secret}`)).toBe(502)
}

test.skipIf(!nginx)('nginx accepts the example, and logs paths without keys, also of what failed', async () => {
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const make = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=api.example.com',
    '-keyout',
    key,
    '-out',
    cert,
  ]
  execFileSync('openssl', make, { stdio: 'ignore' })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  )
  const serve = async (name: string, upstream: string) => {
    const [plain, tls] = [await freePort(), await freePort()]
    const site = read('nginx.conf')
      .replaceAll(/\/var\/log\/nginx\/finmeter/g, `${dir}/${name}`)
      .replace('/etc/letsencrypt/live/api.example.com/fullchain.pem', cert)
      .replace('/etc/letsencrypt/live/api.example.com/privkey.pem', key)
      .replace('127.0.0.1:3000', upstream)
      .replace('listen 80', `listen 127.0.0.1:${plain}`)
      .replace('listen 443', `listen 127.0.0.1:${tls}`)
    const file = join(dir, `${name}.conf`)
    const frame = `daemon off; pid ${dir}/${name}.pid; error_log ${dir}/${name}-global.log info; events {}`
    writeFileSync(file, `${frame}\nhttp { ${temporary.join(' ')}\n${site}\n}`)
    expect(spawnSync(nginx!, ['-t', '-c', file, '-p', dir], { encoding: 'utf8' }).stderr).toContain(
      'test is successful',
    )
    start(nginx!, ['-c', file, '-p', dir])
    return `https://127.0.0.1:${tls}`
  }
  await askBoth(await serve('served', new URL(server.url).host), await serve('alone', `127.0.0.1:${await freePort()}`))
  const logs = () =>
    ['served', 'served-global', 'alone', 'alone-global']
      .map((name) => readFileSync(join(dir, `${name}.log`), 'utf8'))
      .join('')
  await expect.poll(logs).toContain('"GET /v1/bars/MSFT" 502')
  expect(logs()).toContain('"GET /v1/bars/AAPL" 401')
  expect(logs()).not.toContain('secret')
})

test.skipIf(!caddy)('Caddy accepts the example, and logs paths without keys, also of what failed', async () => {
  const config = join(dir, 'Caddyfile')
  writeFileSync(config, read('Caddyfile'))
  mkdirSync(join(dir, 'home'))
  const home = { HOME: join(dir, 'home'), XDG_DATA_HOME: join(dir, 'home'), XDG_CONFIG_HOME: join(dir, 'home') }
  const checked = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', config], {
    encoding: 'utf8',
    env: { ...process.env, ...home, DOMAIN: 'api.example.com' },
  })
  expect(`${checked.stdout}${checked.stderr}`).toContain('Valid configuration')
  const words = ['run', '--adapter', 'caddyfile', '--config', config]
  const serve = async (upstream: string) => {
    const address = `http://127.0.0.1:${await freePort()}`
    return { address, logs: start('caddy', words, { ...home, DOMAIN: address, UPSTREAM: upstream }) }
  }
  const served = await serve(new URL(server.url).host)
  const alone = await serve(`127.0.0.1:${await freePort()}`)
  await askBoth(served.address, alone.address)
  await expect.poll(() => alone.logs()).toContain('"uri":"/v1/bars/MSFT"')
  await expect.poll(() => served.logs()).toContain('"uri":"/v1/bars/AAPL"')
  expect(alone.logs()).toContain('connection refused')
  expect(served.logs() + alone.logs()).not.toContain('secret')
})
