import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
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

/** A proxy gets an address, not a name: nginx reads names once, at its start, by the resolver of the machine. */
const local = (url: string) => `127.0.0.1:${new URL(url).port}`
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

/** A server that records which calls arrived, and on which connection each kind of request did. */
async function startWitness() {
  const ports = { calls: new Set<number>(), pages: new Set<number>() }
  const calls: string[] = []
  const witness = createServer((request, response) => {
    const kind = /^\/(v1\/|mcp)/.test(request.url!) ? 'calls' : 'pages'
    ports[kind].add(request.socket.remotePort!)
    if (kind === 'calls') calls.push(request.url!)
    response.end()
  })
  await new Promise<void>((done) => witness.listen(0, '127.0.0.1', done))
  const { port } = witness.address() as AddressInfo
  const stop = async (): Promise<void> => {
    witness.close()
    witness.closeAllConnections()
  }
  endings.push(stop)
  return { host: `127.0.0.1:${port}`, ports, calls, stop }
}

/** Mixed requests must reach the server on reused connections, with calls and pages on separate ones. */
async function askMixed(url: string, { ports }: Awaited<ReturnType<typeof startWitness>>): Promise<void> {
  await expect.poll(() => ask(url, '/healthz')).toBe(200)
  for (let round = 0; round < 5; round++)
    for (const path of ['/docs/', '/v1/bars/AAPL', '/', '/mcp']) expect(await ask(url, path)).toBe(200)
  expect([...ports.calls].filter((port) => ports.pages.has(port))).toEqual([])
  expect(ports.calls.size).toBeLessThan(10)
  expect(ports.pages.size).toBeLessThan(10)
}

/** Asks once through a proxy with the server behind it, once with nothing behind it: proxies write errors elsewhere. */
async function askBoth(served: string, alone: string): Promise<void> {
  await expect.poll(() => ask(served, '/healthz')).toBe(200)
  await expect.poll(() => ask(alone, '/healthz')).toBe(502)
  expect(await ask(served, `/v1/bars/AAPL?apikey=${secret}`)).toBe(401)
  expect(await ask(alone, `/v1/bars/MSFT?APIKEY=${secret}`)).toBe(502)
}

/** Returns a function that runs nginx with the example, after `replaced`, and resolves with its address. */
function prepareNginx() {
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
  return async (name: string, replaced: (conf: string) => string) => {
    const [plain, tls] = [await freePort(), await freePort()]
    const site = replaced(read('nginx.conf'))
      .replaceAll(/\/var\/log\/nginx\/finmeter/g, `${dir}/${name}`)
      .replace('/etc/letsencrypt/live/api.example.com/fullchain.pem', cert)
      .replace('/etc/letsencrypt/live/api.example.com/privkey.pem', key)
      .replace('listen 80', `listen 127.0.0.1:${plain}`)
      .replace('listen 443', `listen 127.0.0.1:${tls}`)
    const file = join(dir, `${name}.conf`)
    // One process under the user of this test: where root lacks some of its powers, as in a container, nginx could
    // neither give its folders to another user nor become that user.
    const process = `daemon off; master_process off; user ${userInfo().username}; pid ${dir}/${name}.pid;`
    const frame = `${process} error_log ${dir}/${name}-global.log info; events {}`
    writeFileSync(file, `${frame}\nhttp { ${temporary.join(' ')}\n${site}\n}`)
    const { status, stderr } = spawnSync(nginx!, ['-t', '-c', file, '-p', dir], { encoding: 'utf8' })
    expect(status, stderr.replaceAll('\n', ' | ')).toBe(0)
    start(nginx!, ['-c', file, '-p', dir])
    return `https://127.0.0.1:${tls}`
  }
}

const upstream = (host: string) => (conf: string) => conf.replaceAll('127.0.0.1:3000', host)

test.skipIf(!nginx)(
  'nginx accepts the example, keeps calls and pages apart, and logs paths without keys, also of what failed',
  async () => {
    const serve = prepareNginx()
    const witness = await startWitness()
    await askMixed(await serve('mixed', upstream(witness.host)), witness)
    await askBoth(
      await serve('served', upstream(local(server.url))),
      await serve('alone', upstream(`127.0.0.1:${await freePort()}`)),
    )
    const logs = () =>
      ['served', 'served-global', 'alone', 'alone-global']
        .map((name) => readFileSync(join(dir, `${name}.log`), 'utf8'))
        .join('')
    await expect.poll(logs).toContain('"GET /v1/bars/MSFT" 502')
    await expect.poll(logs).toContain('"GET /v1/bars/AAPL" 401')
    expect(logs()).not.toContain('secret')
  },
)

test.skipIf(!nginx)(
  'nginx sends all calls of a key to one of several instances, and to another while it is down',
  async () => {
    const witnesses = [await startWitness(), await startWitness()]
    const several = (conf: string) =>
      conf
        .replace(/upstream finmeter_calls[^}]+}\nupstream finmeter_pages[^}]+}\n/, read('nginx-several.conf'))
        .replaceAll('fail_timeout=5s', 'fail_timeout=600s')
        .replaceAll('10.0.0.11:3000', witnesses[0]!.host)
        .replaceAll('10.0.0.12:3000', witnesses[1]!.host)
    const url = await prepareNginx()('several', several)
    await expect.poll(() => ask(url, '/healthz')).toBe(200)
    const served = async (key: number): Promise<number> => {
      for (const { calls } of witnesses) calls.length = 0
      expect(await ask(url, `/v1/bars/AAPL?apikey=key-${key}`)).toBe(200)
      return witnesses.findIndex(({ calls }) => calls.length > 0)
    }
    const keys = Array.from({ length: 24 }, (_, key) => key)
    const homes: number[] = []
    for (const key of keys) homes.push(await served(key))
    expect(new Set(homes)).toEqual(new Set([0, 1]))
    for (const key of keys) expect(await served(key)).toBe(homes[key])
    await witnesses[0]!.stop()
    const moved = homes.indexOf(0)
    // The proxy does not repeat the call that finds the instance gone: it might be charged twice.
    expect(await ask(url, `/v1/bars/AAPL?apikey=key-${moved}`)).toBe(502)
    for (const key of keys) expect(await served(key)).toBe(1)
  },
)

test.skipIf(!caddy)(
  'Caddy accepts the example, keeps calls and pages apart, and logs paths without keys, also of what failed',
  async () => {
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
    const witness = await startWitness()
    await askMixed((await serve(witness.host)).address, witness)
    const served = await serve(local(server.url))
    const alone = await serve(`127.0.0.1:${await freePort()}`)
    await askBoth(served.address, alone.address)
    await expect.poll(() => alone.logs()).toContain('"uri":"/v1/bars/MSFT"')
    await expect.poll(() => served.logs()).toContain('"uri":"/v1/bars/AAPL"')
    expect(alone.logs()).toContain('connection refused')
    expect(served.logs() + alone.logs()).not.toContain('secret')
  },
)
