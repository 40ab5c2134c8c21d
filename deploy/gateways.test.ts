import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '#server/db/embedded.ts'
import { type DoorServer, startDoorServer } from '#server/features/meter-door/testing/door-server.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, 'gateways', file), 'utf8')
const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
const caddy = spawnSync('caddy', ['version']).status === 0
const dir = mkdtempSync(join(tmpdir(), 'finmeter-gateways-'))
const endings: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })]

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
}

/** The operator's API behind the gateway. */
const seen: Seen[] = []
const api = createServer(({ method = '', url = '', headers }, response) => {
  seen.push({ method, url, headers })
  // Its own statuses reach the customer.
  const status = url.includes('BROKEN') ? 500 : url.includes('SECRET') ? 403 : 200
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status }))
})
let server: DoorServer
let apiHost: string
let door: string
beforeAll(async () => {
  server = await startDoorServer()
  door = `127.0.0.1:${new URL(server.url).port}`
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
  apiHost = `127.0.0.1:${(api.address() as AddressInfo).port}`
})
afterAll(async () => {
  for (const end of endings.reverse()) await end()
  api.closeAllConnections()
  api.close()
  await server?.close()
})

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** A customer's request; the address is sent as it is. */
function ask(
  url: string,
  path: string,
  { key, method = 'GET', headers = {} }: { key?: string; method?: string; headers?: Record<string, string> } = {},
): Promise<Answer | null> {
  const { port, protocol } = new URL(url)
  const options = { host: '127.0.0.1', port, path, method, rejectUnauthorized: false, servername: 'api.example.com' }
  const send = protocol === 'https:' ? request : httpRequest
  return new Promise((done) =>
    send({ ...options, headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers } }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part) => {
        body += part
      })
      answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
    })
      .once('error', () => done(null))
      .end(),
  )
}

function start(command: string, words: string[], env: NodeJS.ProcessEnv = {}): void {
  const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: 'ignore' })
  endings.push(() => child.kill('SIGTERM'))
}

const until = (url: string): Promise<void> => expect.poll(() => ask(url, '/nothing')).not.toBeNull()

/** nginx with the example; `host` is where it asks. */
async function serveNginx(name: string, host: string): Promise<string> {
  const [cert, key] = [join(dir, `${name}-cert.pem`), join(dir, `${name}-key.pem`)]
  const subject = ['-subj', '/CN=api.example.com', '-days', '2', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' })
  const port = await freePort()
  const site = read('nginx.conf')
    .replace('/var/log/nginx', dir)
    .replace('/etc/letsencrypt/live/api.example.com/fullchain.pem', cert)
    .replace('/etc/letsencrypt/live/api.example.com/privkey.pem', key)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:3000', host)
    .replace('127.0.0.1:8080', apiHost)
    .replace('fms_REPLACE', server.serviceKeys.acme)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${dir}/${one};`)
  const process = `daemon off; master_process off; user ${userInfo().username}; pid ${dir}/${name}.pid;`
  const file = join(dir, `${name}.conf`)
  writeFileSync(file, `${process} error_log ${dir}/${name}.log;\nevents {}\nhttp { ${folders.join(' ')}\n${site}\n}`)
  const { status, stderr } = spawnSync(nginx!, ['-t', '-c', file, '-p', dir], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  start(nginx!, ['-c', file, '-p', dir])
  const url = `https://127.0.0.1:${port}`
  await until(url)
  return url
}

async function serveCaddy(host: string): Promise<string> {
  const config = join(dir, 'Caddyfile')
  writeFileSync(config, read('Caddyfile'))
  const url = `http://127.0.0.1:${await freePort()}`
  const home = { HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir }
  const settings = { DOMAIN: url, FINMETER: host, UPSTREAM: apiHost, SERVICE_KEY: server.serviceKeys.acme }
  start('caddy', ['run', '--adapter', 'caddyfile', '--config', config], { ...home, ...settings })
  await until(url)
  return url
}

/** What every gateway must do with the example that we give. */
async function checkGateway(url: string): Promise<void> {
  const key = await server.key({ credits: 20 })
  const { value } = key
  seen.length = 0

  const price = await ask(url, '/prices/AAPL?range=1y', { key: value })
  expect([price!.status, JSON.parse(price!.body)]).toEqual([200, { status: 200 }])
  expect(price!.headers).toMatchObject({
    'x-credits-charged': '2',
    'x-credits-remaining': '18',
    'x-receipt-id': expect.stringMatching(/^rcpt_/),
  })
  const [{ public_id }] = (await server.db.pool.query('select public_id from accounts where id = $1', [key.accountId]))
    .rows
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/prices/AAPL?range=1y' })
  expect(seen[0]!.headers).toMatchObject({
    'finmeter-account': public_id,
    'finmeter-key': key.publicId,
    'finmeter-request': expect.any(String),
    'finmeter-operation': 'acme_price',
  })

  // What a customer must not be able to say, and what the API must not learn.
  const smuggled = {
    'x-original-uri': '/prices/A',
    'x-original-method': 'GET',
    'x-forwarded-uri': '/prices/A',
    'x-forwarded-method': 'GET',
    'finmeter-account': 'somebody',
    'finmeter-hold': 'hold_x.y',
    'finmeter-operation': 'acme_price',
    Finmeter_Hold: 'hold_x.y',
    FINMETER_ACCOUNT: 'somebody',
    'finmeter-service-key': 'fms_mine',
    'x-credits-charged': '0',
    'x-api-key': value,
  }
  const dear = await ask(url, '/prices/all', { key: 'fm_other', headers: smuggled })
  expect([dear!.status, dear!.headers['x-credits-charged']]).toEqual([200, '7'])
  const behind = seen.at(-1)!
  expect(behind).toMatchObject({
    url: '/prices/all',
    headers: { 'finmeter-account': public_id, 'finmeter-operation': 'acme_all' },
  })
  const underscored = ['finmeter_hold', 'finmeter_account']
  for (const name of ['authorization', 'x-api-key', 'finmeter-service-key', 'finmeter-hold', ...underscored])
    expect([name, behind.headers[name] ?? '']).toEqual([name, ''])
  expect(JSON.stringify(seen)).not.toContain(value)
  expect(JSON.stringify(seen)).not.toContain(server.serviceKeys.acme)

  // An operation that holds gets its hold, which the API settles.
  const rich = await server.key({ credits: 50 })
  const search = await ask(url, '/search?q=x', { key: rich.value })
  expect(search!.headers['x-receipt-id'] ?? '').toBe('')
  const { body } = await server.post(
    'settle',
    { hold: seen.at(-1)!.headers['finmeter-hold'], units: 10 },
    server.serviceKeys.acme,
  )
  expect(body).toMatchObject({ credits_charged: 3, remaining: 47 })

  const passed = seen.length
  const refused = async (path: string, given: Parameters<typeof ask>[2]) => {
    const answer = await ask(url, path, given)
    expect(answer!.headers['content-type']).toContain('application/problem+json')
    return [answer!.status, JSON.parse(answer!.body).code]
  }
  expect(await refused('/prices/A', {})).toEqual([401, 'key_missing'])
  expect(await refused('/prices/A', { key: 'fm_wrong' })).toEqual([401, 'key_invalid'])
  expect(await refused('/prices/A', { key: (await server.key()).value })).toEqual([402, 'insufficient_credits'])
  expect(await refused('/prices/A', { key: value, method: 'DELETE' })).toEqual([404, 'unknown_tool'])
  expect(await refused('/prices/../orders', { key: value })).toEqual([403, 'forbidden'])
  expect(await refused('/prices/%2e%2e/orders', { key: value })).toEqual([403, 'forbidden'])
  expect(await refused('/other/A', { key: value })).toEqual([404, 'unknown_tool'])
  const busy = await server.key({ credits: 20, rateLimit: 1 })
  await ask(url, '/prices/A', { key: busy.value })
  expect(await refused('/prices/A', { key: busy.value })).toEqual([429, 'rate_limited'])
  const limited = await ask(url, '/prices/A', { key: busy.value })
  expect(limited!.headers['retry-after']).toMatch(/^\d+$/)
  expect(seen).toHaveLength(passed + 1)

  // Statuses of the API are its own. Charged on admission.
  const broken = await ask(url, '/prices/BROKEN', { key: value })
  expect([broken!.status, broken!.body]).toEqual([500, '{"status":500}'])
  const secret = await ask(url, '/prices/SECRET', { key: value })
  expect([secret!.status, secret!.body]).toEqual([403, '{"status":403}'])
  expect(await server.spending(key.accountId)).toEqual({ rows: 4, failedRows: 0, credits: 13 })
  expect(await server.invariants()).toEqual([])
}

/** Nothing passes while Finmeter does not answer. */
async function checkClosed(url: string): Promise<void> {
  const before = seen.length
  const answer = await ask(url, '/prices/A', { key: (await server.key({ credits: 9 })).value })
  expect(answer!.status).toBeGreaterThanOrEqual(500)
  expect(seen).toHaveLength(before)
}

test.skipIf(!nginx)('nginx charges with auth_request, and passes every refusal on', async () => {
  await checkGateway(await serveNginx('open', door))
  await checkClosed(await serveNginx('alone', `127.0.0.1:${await freePort()}`))
})

test.skipIf(!caddy)('Caddy charges with forward_auth, and passes every refusal on', async () => {
  await checkGateway(await serveCaddy(door))
  await checkClosed(await serveCaddy(`127.0.0.1:${await freePort()}`))
})

test('Traefik and Envoy are asked for the same in their own words', () => {
  const { middlewares, routers } = parse(read('traefik.yaml')).http
  expect(routers['your-api'].middlewares).toEqual(['finmeter-identify', 'finmeter-charge', 'finmeter-forget'])
  expect(middlewares['finmeter-charge'].forwardAuth).toMatchObject({
    address: 'http://127.0.0.1:3000/v1/meter/auth?gateway=traefik',
    trustForwardHeader: false,
  })
  const passed = ['Finmeter-Account', 'Finmeter-Key', 'Finmeter-Request', 'Finmeter-Operation', 'Finmeter-Hold']
  expect(middlewares['finmeter-charge'].forwardAuth.authResponseHeaders).toEqual(passed)
  const forged = Object.fromEntries(passed.map((name) => [name.replace('-', '_'), '']))
  expect(middlewares['finmeter-identify'].headers.customRequestHeaders).toMatchObject(forged)
  const manager = parse(read('envoy.yaml')).static_resources.listeners[0].filter_chains[0].filters[0].typed_config
  const [, authz] = manager.http_filters
  expect(authz.typed_config.http_service.path_prefix).toBe('/v1/meter/auth/envoy')
  expect(authz.typed_config.failure_mode_allow).toBe(false)
  expect(manager.use_remote_address).toBe(true)
  expect(manager.common_http_protocol_options.headers_with_underscores_action).toBe('REJECT_REQUEST')
})
