/**
 * `npm run auth-suite -- <checkout>`: runs the auth client's own tests against /auth/v1. `<checkout>` is a checkout of
 * supabase-js, or of its package auth-js, with its packages installed. The tests run three times: with no server, which
 * shows the ones that need one; with the server that they expect; and those for four servers of different settings.
 * Prints the counts and the names of failures. Exits with 1 if a test fails. Needs the ports 54321 and 9996 to 9999.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request as forward, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { type EmbeddedPostgres, freePort, startEmbedded } from '#server/db/embedded.ts'
import { adminQuery, withDatabase } from '#server/testing/databases.ts'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'

/** Whether each test passed, by its file, a colon and its whole name. */
type Outcomes = Map<string, boolean>
type Environment = Record<string, string | number>

interface JestResults {
  testResults: { name: string; message: string; assertionResults: { fullName: string; status: string }[] }[]
}

const MAIN_PORT = 54321
const SUITE_TIMEOUT_MS = 300_000
const SMS_SECRET = `whsec_${Buffer.alloc(32, 'suite').toString('base64')}`

/** The settings of the suite's own server (test/supabase/config.toml) in ours. */
const MAIN = {
  PUBLIC_URL: `http://127.0.0.1:${MAIN_PORT}`,
  AUTH_AUTOCONFIRM: 'on',
  AUTH_ANONYMOUS: 'on',
  AUTH_LINKING: 'off',
  AUTH_PASSWORD_UPDATE: 'open',
  AUTH_PASSWORD_LENGTH: '6',
  AUTH_WEBAUTHN: 'on',
}

const suite = findSuite(process.argv[2])
const jest = join(suite, 'node_modules/jest/bin/jest.js')
const dir = await mkdtemp(join(tmpdir(), 'finmeter-auth-suite-'))
const servers: ServerProcess[] = []
const gateways: Server[] = []
let postgres: EmbeddedPostgres | undefined
try {
  if (!existsSync(jest)) throw new Error(`${suite} has no Jest: install its packages first.`)
  const keysFile = join(suite, 'test/supabase/signing_keys.json')
  if (!existsSync(keysFile)) await run(process.execPath, ['test/generate-signing-keys.js'])
  const compose = parse(await readFile(join(suite, 'infra/docker-compose.yml'), 'utf8'))
  const settings = Object.values<{ environment?: Environment }>(compose.services)
    .map(({ environment }) => environment ?? {})
    .filter((environment) => 'GOTRUE_API_HOST' in environment)

  console.error('Running the tests without a server ...')
  const alone = await runTests('jest.config.cli.js', 'alone')
  postgres = await startEmbedded(dir, 'suite')
  console.error('Running them with one ...')
  await start('main', MAIN_PORT, { ...MAIN, AUTH_JWT_KEYS: await readFile(keysFile, 'utf8') })
  const main = await runTests('jest.config.cli.js', 'main')
  console.error(`Running those for ${settings.length} servers ...`)
  const senderUrl = await refusingSender()
  for (const environment of settings) await startConfigured(environment, senderUrl)
  const configured = await runTests('jest.config.docker.js', 'configured')

  const needServer = [...alone].filter(([, passed]) => !passed).map(([name]) => name)
  const of = (names: string[]): Outcomes => new Map(names.map((name) => [name, main.get(name) ?? false]))
  const others = [...main.keys()].filter((name) => !needServer.includes(name))
  const failures = [
    ...report('Tests that need a server', of(needServer)),
    ...report('Tests that need none', of(others)),
    ...report('Tests for servers of different settings', configured),
  ]
  for (const name of failures) console.log(`FAILED ${name}`)
  process.exitCode = failures.length > 0 ? 1 : 0
} finally {
  for (const gateway of gateways) gateway.close()
  await Promise.all(servers.map((server) => server.stop()))
  await postgres?.stop()
  await rm(dir, { recursive: true, force: true })
}

/** The package's folder in the checkout. */
function findSuite(checkout = ''): string {
  const found = [join(checkout, 'packages/core/auth-js'), checkout].find((folder) =>
    existsSync(join(folder, 'jest.config.docker.js')),
  )
  if (!checkout || !found)
    throw new Error(
      'Name a checkout of supabase-js: npm run auth-suite -- ../supabase-js, with its packages installed.',
    )
  return resolve(found)
}

/** Runs a program of the suite in its folder, and waits until it has ended. */
async function run(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { cwd: suite, stdio: 'ignore', timeout: SUITE_TIMEOUT_MS })
  await once(child, 'close')
}

async function runTests(config: string, name: string): Promise<Outcomes> {
  const file = join(dir, `${name}.json`)
  const args = ['--config', config, '--runInBand', '--coverage=false', '--forceExit', '--json', `--outputFile=${file}`]
  await run(process.execPath, [jest, ...args])
  const { testResults }: JestResults = JSON.parse(await readFile(file, 'utf8'))
  return new Map(
    testResults.flatMap((one) => {
      if (one.assertionResults.length === 0) throw new Error(`${one.name} could not run: ${one.message}`)
      return one.assertionResults.map(
        ({ fullName, status }) => [`${relative(suite, one.name)}: ${fullName}`, status === 'passed'] as const,
      )
    }),
  )
}

/** Prints the count of an outcome; returns the names of its failures. */
function report(title: string, outcomes: Outcomes): string[] {
  const failures = [...outcomes].filter(([, passed]) => !passed).map(([name]) => name)
  console.log(`${title}: ${outcomes.size - failures.length} of ${outcomes.size}`)
  return failures
}

/** A Finmeter on a database of its own. */
async function start(name: string, port: number, env: NodeJS.ProcessEnv): Promise<void> {
  const url = postgres!.connectionString
  await adminQuery(url, `create database ${name}`)
  const server = startServerProcess({
    NODE_ENV: 'development',
    PORT: String(port),
    DATABASE_URL: withDatabase(url, name),
    FINMETER_DATA_DIR: join(dir, name),
    AUTH_RATE_LIMITS: 'off',
    AUTH_PASSWORD_SIGNUP: 'on',
    ...env,
  })
  servers.push(server)
  await server.ready
}

/** A server with the settings that the suite gives to one of its containers, at that container's port. */
async function startConfigured(environment: Environment, senderUrl: string): Promise<void> {
  const is = (name: string, value: string) => String(environment[`GOTRUE_${name}`]) === value
  const flag = (on: boolean) => (on ? 'on' : 'off')
  const port = await freePort()
  await start(`server_${environment.PORT}`, port, {
    AUTH_SIGNUP: flag(!is('DISABLE_SIGNUP', 'true')),
    AUTH_EMAIL: flag(!is('EXTERNAL_EMAIL_ENABLED', 'false')),
    AUTH_AUTOCONFIRM: flag(is('MAILER_AUTOCONFIRM', 'true')),
    AUTH_ANONYMOUS: flag(is('EXTERNAL_ANONYMOUS_USERS_ENABLED', 'true')),
    AUTH_JWT_KEYS: environment.GOTRUE_JWT_KEYS as string | undefined,
    ...(is('EXTERNAL_PHONE_ENABLED', 'true') && { AUTH_SMS_URL: senderUrl, AUTH_SMS_SECRET: SMS_SECRET }),
  })
  // The containers serve the protocol without a path before it.
  const gateway = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const passed = forward({ port, path: `/auth/v1${url}`, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await listen(gateway, Number(environment.PORT))
}

/** A sender that takes no message, as theirs, which has no account. Returns its URL. */
async function refusingSender(): Promise<string> {
  const port = await freePort()
  await listen(
    createServer((_request, response) => response.writeHead(401).end()),
    port,
  )
  return `http://127.0.0.1:${port}`
}

async function listen(server: Server, port: number): Promise<void> {
  gateways.push(server)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
