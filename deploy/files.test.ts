import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { settings } from '#server/config/config.ts'
import { freePort } from '#server/db/embedded.ts'
import { startMetrics } from '#server/metrics/start-metrics.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { programs } from '../scripts/build/bundle.ts'
import { readImage } from './testing/read-image.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8')
const has = (command: string, ...words: string[]) => spawnSync(command, words).status === 0
const run = (command: string, words: string[], env: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', env: { ...process.env, ...env } })
  return { status, text: `${stdout}${stderr}` }
}
const dir = temporaryFolder()
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { LOG_LEVEL: 'silent', METRICS_PORT: '0' } })
})
afterAll(async () => {
  await server?.close()
})

/** Set for other programs than Finmeter, or inputs of compose. */
const others = ['DOMAIN', 'UPSTREAM', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD']

test('every variable that a file sets for Finmeter is one of its settings', () => {
  const compose = ['compose.yaml', 'compose.sandbox.yaml'].flatMap((file) =>
    Object.keys(parse(read(file)).services.finmeter.environment),
  )
  const lines = ['finmeter.service', 'README.md'].flatMap((file) =>
    [...read(file).matchAll(/(?:^|[\s=])([A-Z][A-Z0-9_]{2,})=/g)].map((found) => found[1]!),
  )
  const used = new Set([...Object.keys(readImage().env), ...compose, ...lines])
  expect(used.size).toBeGreaterThan(12)
  expect([...used].filter((name) => !(name in settings) && !others.includes(name))).toEqual([])
})

test('every file that a file names exists, and every program is one of the build', () => {
  const files = globSync('**/*', { cwd: join(root, 'deploy'), withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.m?[jt]s$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  const named = files.flatMap((text) => [...text.matchAll(/\bbuild\/(\w+)\.js\b/g)].map((found) => found[1]!))
  expect(named.length).toBeGreaterThan(8)
  expect([...new Set(named)].filter((name) => !(name in programs))).toEqual([])
  const paths = files.flatMap((text) =>
    [...text.matchAll(/\b(?:deploy|docs|scripts)\/[\w./-]*\w/g)].map((found) => found[0]),
  )
  expect([...new Set(paths)].filter((path) => path !== 'deploy/.env' && !existsSync(join(root, path)))).toEqual([])
  for (const file of ['compose.yaml', 'compose.sandbox.yaml'])
    for (const [, path] of read(file).matchAll(/- \.\/(\S+?):/g))
      expect([path, existsSync(join(root, 'deploy', path!))]).toEqual([path, true])
})

test('every metric of the alerts and the dashboard is one that /metrics has', async () => {
  const port = await freePort()
  // As with a Redis: without one there is nothing to report.
  const stop = await startMetrics({ ...server.deps, limiter: { ...server.deps.limiter, shared: true } }, port)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await stop()
  // A histogram or counter without values has only its name.
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!] as const)
  const names = new Set(
    types.flatMap(([name, type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
    ),
  )
  const used = `${read('prometheus/alerts.yaml')}${read('grafana/finmeter.json')}`.match(/\bfinmeter_\w+/g) ?? []
  expect(used.length).toBeGreaterThan(15)
  expect([...new Set(used)].filter((name) => !names.has(name))).toEqual([])
})

test('the paths that probes and health checks ask are served', async () => {
  const asked = new Set(
    `${read('Dockerfile')}${read('helm/templates/statefulset.yaml')}`.match(/\/(readyz|healthz)\b/g),
  )
  expect([...asked].sort()).toEqual(['/healthz', '/readyz'])
  for (const path of asked) expect((await fetch(server.url + path)).status).toBe(200)
})

test('the Dockerfile has no problem for its linter, and builds without what the machine holds', () => {
  expect(validate(read('Dockerfile')).map(({ message }) => message)).toEqual([])
  expect(read('Dockerfile.dockerignore').split('\n')).toEqual(
    expect.arrayContaining(['.git', '**/node_modules', '.finmeter', '**/.env', 'build', 'dist']),
  )
})

test('compose: services drop rights, secrets have no default, databases are reachable by Finmeter only', () => {
  const { services } = parse(read('compose.yaml'))
  expect(services.finmeter).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  })
  expect([services.postgres.networks, services.redis.networks, services.caddy.networks]).toEqual([
    ['back'],
    ['back'],
    ['front'],
  ])
  for (const name of ['finmeter', 'postgres', 'redis']) expect(services[name].ports).toBeUndefined()
  expect(services.finmeter.environment.KEYS_SECRET).toMatch(/^\$\{KEYS_SECRET:\?/)
  expect(parse(read('compose.sandbox.yaml')).services.finmeter.ports).toEqual(['127.0.0.1:3000:3000'])
})

test.skipIf(!has('docker-compose', 'version'))('docker-compose reads both files', () => {
  for (const file of ['compose.yaml', 'compose.sandbox.yaml']) {
    // The Debian package does not know the top-level name.
    writeFileSync(join(dir, file), read(file).replace(/^name: .*$/m, ''))
    writeFileSync(join(dir, '.env'), '')
    const env = { DOMAIN: 'api.finmeter.dev', POSTGRES_PASSWORD: 'word', KEYS_SECRET: 'secret' }
    expect(run('docker-compose', ['-f', join(dir, file), 'config', '-q'], env)).toEqual({ status: 0, text: '' })
  }
})

test.skipIf(!has('promtool', '--version'))(
  'promtool: rules are valid, fire and stay silent; the dashboard asks what Prometheus understands',
  () => {
    const checked = run('promtool', ['check', 'rules', join(root, 'deploy/prometheus/alerts.yaml')])
    expect(checked).toEqual({ status: 0, text: expect.stringContaining('SUCCESS: 18 rules found') })
    expect(run('promtool', ['test', 'rules', join(root, 'deploy/prometheus/alerts.test.yaml')])).toEqual({
      status: 0,
      text: expect.stringContaining('SUCCESS'),
    })
    const { panels } = JSON.parse(read('grafana/finmeter.json')) as { panels: { targets: { expr: string }[] }[] }
    const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))
    const rules = asked.map((expr, index) => ({ record: `panel:${index}`, expr }))
    writeFileSync(join(dir, 'panels.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expect(run('promtool', ['check', 'rules', join(dir, 'panels.yaml')]).status).toBe(0)
  },
)

test.skipIf(!has('systemd-analyze', '--version'))(
  'systemd accepts the unit, and finds little that it could still forbid',
  () => {
    const unit = join(dir, 'finmeter.service')
    writeFileSync(
      unit,
      read('finmeter.service').replace('/usr/bin/node', process.execPath).replace('=/opt/finmeter', `=${dir}`),
    )
    expect(run('systemd-analyze', ['verify', unit])).toEqual({ status: 0, text: '' })
    expect(run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]).status).toBe(0)
  },
)
