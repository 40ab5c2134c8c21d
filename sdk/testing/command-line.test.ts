import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, expect, test } from 'vitest'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'

const program = join(import.meta.dirname, '../typescript/src/cli/main.ts')
const started = new Set<ChildProcess>()

const newKey = async (owner: TestSession): Promise<string> =>
  (await owner.call('POST', '/api/keys', { body: { name: 'Test' } })).body.data.apiKey.apiKey

const server = await closeAfterTests(startTestServer())
const home = temporaryFolder()
const person = await startSession(server, { email: 'ada@example.com' })
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
/** Of the person, with credits. */
const key = await newKey(person)
afterEach(() => {
  for (const child of started) child.kill()
})

interface Ended {
  code: number | null
  out: string
  err: string
}

/** Starts the program as a terminal would; `seen` gets what it has written to standard error. */
function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH!, XDG_CONFIG_HOME: home, FINMETER_URL: server.url, ...env },
  })
  started.add(child)
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => {
    out += piece
  })
  child.stderr.on('data', (piece) => {
    err += piece
  })
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code) => {
      started.delete(child)
      done({ code, out, err })
    })
  })
  return { child, ended, seen: () => err }
}
const cli = (...args: string[]) => start(args).ended
const withKey = (...args: string[]) => start(args, { FINMETER_API_KEY: key }).ended

async function logIn(...args: string[]): Promise<Ended> {
  const login = start(['login', ...args])
  await expect.poll(login.seen).toMatch(/enter the code/)
  const code = /enter the code (\S+)/.exec(login.seen())![1]
  await person.call('POST', '/api/oauth/device/approve', { body: { code } })
  return login.ended
}
const file = () => join(home, 'finmeter/credentials.json')

test('login shows a code, waits for the person, and stores tokens that only they can read', async () => {
  const { code, out, err } = await logIn()
  expect([code, out]).toEqual([0, expect.stringContaining('ada@example.com')])
  expect(err).toContain(`Open ${server.url}/device and enter the code `)
  const text = await readFile(file(), 'utf8')
  expect(text).toContain('fmrt_')
  expect(out + err).not.toMatch(/fmat_|fmrt_|fmdc_/)
  expect([(await stat(file())).mode & 0o777, (await stat(join(home, 'finmeter'))).mode & 0o777]).toEqual([0o600, 0o700])
  expect(JSON.parse((await cli('whoami', '--json')).out)).toEqual({
    url: server.url,
    email: 'ada@example.com',
    workspace: 'Personal',
    workspaceId: expect.any(String),
    role: 'owner',
  })
  // The address of the login is known from now on.
  expect((await start(['whoami'], { FINMETER_URL: '' }).ended).out).toContain(server.url)
})

test('a second login replaces the first; a loose mode is tightened; a denied one says so', async () => {
  const count = async () =>
    ((await person.call('GET', '/api/keys')).body.data.apiKeys as { name: string }[]).filter(
      ({ name }) => name === 'Finmeter command line (connected app)',
    ).length
  await chmod(file(), 0o644)
  expect((await logIn('--json')).code).toBe(0)
  expect([await count(), (await stat(file())).mode & 0o777]).toEqual([1, 0o600])
  const denied = start(['login', '--json'])
  await expect.poll(denied.seen).toMatch(/enter the code/)
  const code = /enter the code (\S+)/.exec(denied.seen())![1]
  await person.call('POST', '/api/oauth/device/deny', { body: { code } })
  const ended = await denied.ended
  expect([ended.code, JSON.parse(ended.err.trim().split('\n').at(-1)!).error.code]).toEqual([4, 'access_denied'])
})

test('a token that has ended is renewed once, also by programs that start together', async () => {
  const stored = JSON.parse(await readFile(file(), 'utf8'))
  stored.logins[server.url].expiresAtMs = 0
  await writeFile(file(), JSON.stringify(stored))
  const codes = await Promise.all([cli('credits'), cli('credits'), cli('whoami')])
  expect(codes.map(({ code }) => code)).toEqual([0, 0, 0])
  expect((await cli('whoami')).code).toBe(0)
})

test('keys are created, listed and revoked', async () => {
  const made = await cli('keys', 'create', 'Nightly', '--scopes', 'rest', '--monthly-credits', '5')
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^fm_\w+\n$/)])
  const value = made.out.trim()
  expect((await start(['credits', '--json'], { FINMETER_API_KEY: value }).ended).code).toBe(0)
  const listed = await cli('keys', 'list', '--json')
  expect(JSON.parse(listed.out)).toContainEqual(
    expect.objectContaining({
      name: 'Nightly',
      monthly_budget: 5,
      scopes: ['rest'],
      apiKey: `${value.slice(0, 8)}...`,
    }),
  )
  expect((await cli('keys', 'list')).out).toMatch(/^id +name +key +created/)
  expect((await cli('keys', 'revoke', 'Nightly')).code).toBe(0)
  expect((await start(['credits'], { FINMETER_API_KEY: value }).ended).code).toBe(3)
  expect((await cli('keys', 'revoke', 'Nightly')).code).toBe(5)
  expect((await cli('keys', 'create', 'Bad', '--monthly-credits', 'many')).code).toBe(2)
  expect((await cli('keys', 'create', 'Sheet', '--scopes', 'read', '--json')).out).toContain('"read"')
  expect((await cli('keys', 'revoke', 'Sheet')).code).toBe(0)
})

test('credits and usage, by login and by key', async () => {
  const byLogin = JSON.parse((await cli('credits', '--json')).out)
  expect(byLogin).toEqual({ credits_remaining: expect.any(Number), unlimited: false })
  expect(JSON.parse((await withKey('credits', '--json')).out)).toEqual(byLogin)
  await withKey('bars', 'AAPL', '--limit', '2')
  expect(JSON.parse((await withKey('usage', '--json')).out)).toContainEqual(
    expect.objectContaining({ tool: 'get_bars', credits: 1 }),
  )
  expect((await cli('usage')).out).toMatch(/^tool +calls +failed +credits\n/)
  expect(JSON.parse((await cli('usage', '--range', '7d', '--json')).out).totalRequests).toBeGreaterThan(0)
})

test('bars as a table, as CSV with every row once, as JSON, and their price beforehand', async () => {
  const answer = await fetch(`${server.url}/v1/bars/AAPL?range=5y&limit=10000&format=csv`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const calls = async () => {
    const tools: { tool: string; calls: number }[] = JSON.parse((await withKey('usage', '--json')).out)
    return tools.find(({ tool }) => tool === 'get_bars')!.calls
  }
  const before = await calls()
  const csv = await withKey('bars', 'AAPL', '--range', '5y', '--csv', '--pages')
  expect(csv.out).toBe(await answer.text())
  expect(csv.out.split('\n').length).toBeGreaterThan(1_001)
  expect((await calls()) - before).toBe(2)
  const one = await withKey('bars', 'AAPL', '--range', '5y', '--csv')
  expect(one.out.trimEnd().split('\n')).toHaveLength(1_001)
  expect(one.err).toContain('Not all rows are shown. Raise --limit, or use --csv --pages for all rows.')
  expect((await calls()) - before).toBe(3)
  expect((await withKey('bars', 'AAPL', '--pages')).code).toBe(2)
  const table = await withKey('bars', 'AAPL', '--range', '1mo')
  expect(table.out).toMatch(/^date +open +high +low +close +volume\n\d{4}-/)
  const rows = JSON.parse((await withKey('bars', 'AAPL', '--limit', '3', '--json')).out)
  expect(rows).toMatchObject({ rows: [{ date: expect.any(String), close: expect.any(Number) }, {}, {}] })
  expect(JSON.parse((await withKey('bars', 'AAPL', '--dry-run')).out)).toMatchObject({ credits: 1 })
})

test('tools are listed, and each kind of input is understood', async () => {
  const tools = JSON.parse((await withKey('tools', 'list', '--json')).out)
  expect(tools).toContainEqual(
    expect.objectContaining({ name: 'get_bars', price: '1 credit per 1,000 rows, rounded up' }),
  )
  const quotes = await withKey('tools', 'call', 'get_quote', '--symbols', 'AAPL,MSFT', '--json')
  expect(JSON.parse(quotes.out).rows.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['AAPL', 'MSFT'])
  const option = ['--input', '{"type":"call","spot":100,"strike":100}', '--days=365', '--rate', '0.05']
  const priced = await withKey('tools', 'call', 'price_option', ...option, '--volatility', '0.2', '--json')
  expect([priced.code, priced.err]).toEqual([0, ''])
  const company = await withKey('tools', 'call', 'get_company', '--symbol', 'AAPL')
  expect(JSON.parse(company.out)).toMatchObject({ symbol: 'AAPL' })
})

test('docs are listed and printed', async () => {
  expect((await cli('docs')).out).toContain('/docs/')
  expect((await cli('docs', 'errors/insufficient_credits')).out).toMatch(/^# /)
  expect(JSON.parse((await cli('docs', 'getting-started', '--json')).out).address).toBe(
    `${server.url}/docs/getting-started.md`,
  )
})

test('every failure has its exit code, and says what to do', async () => {
  const poor = { FINMETER_API_KEY: await newKey(await startSession(server)) }
  // Of our own server, the rest of the minute would decide whether the program waits.
  const busy = createServer((_, answer) => answer.writeHead(429, { 'retry-after': '60' }).end())
  await new Promise<void>((done) => busy.listen(0, '127.0.0.1', done))
  const busyUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const cases: [Promise<Ended>, number, string][] = [
    [cli('nothing'), 2, 'There is no command nothing.'],
    [cli('bars'), 2, 'See finmeter bars --help.'],
    [withKey('bars', 'AAPL', '--range', '2y'), 2, 'range'],
    [withKey('tools', 'call', 'get_bars', '--symbl', 'AAPL'), 2, 'It has --symbol'],
    [withKey('tools', 'call', 'get_bars'), 2, 'get_bars needs --symbol.'],
    [start(['credits'], { FINMETER_API_KEY: 'fm_wrong' }).ended, 3, 'Run finmeter login, or set FINMETER_API_KEY.'],
    [start(['keys', 'list'], { XDG_CONFIG_HOME: join(home, 'none') }).ended, 3, 'You are not logged in at'],
    [cli('credits', '--api-key', 'demo'), 4, 'demo key'],
    [withKey('bars', 'APPL'), 5, 'Did you mean'],
    [withKey('tools', 'call', 'nothing'), 5, 'finmeter tools list shows them.'],
    [cli('docs', 'nothing'), 5, 'finmeter: '],
    [start(['bars', 'AAPL'], poor).ended, 6, '/dashboard/billing'],
    [start(['bars', 'AAPL'], { FINMETER_API_KEY: key, FINMETER_URL: busyUrl }).ended, 7, 'The server answered 429.'],
    [start(['docs'], { FINMETER_URL: 'http://127.0.0.1:9' }).ended, 8, 'http://127.0.0.1:9 did not answer.'],
  ]
  for (const [ending, code, words] of cases) {
    const { code: found, err } = await ending
    expect([found, err]).toEqual([code, expect.stringContaining(words)])
    expect(err).not.toContain(key)
  }
  busy.close()
  const { err } = await start(['bars', 'APPL', '--json'], { FINMETER_API_KEY: key }).ended
  expect(JSON.parse(err).error).toMatchObject({ code: 'unknown_symbol', exit: 5, hint: expect.any(String) })
}, 180_000)

test('an MCP client of standard input uses the remote server through the bridge', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp'],
    env: { PATH: process.env.PATH!, XDG_CONFIG_HOME: home, FINMETER_URL: server.url },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_bars')
  const called = await Promise.all(
    ['AAPL', 'MSFT'].map((symbol) => client.callTool({ name: 'get_quote', arguments: { symbols: [symbol] } })),
  )
  expect(called.map((one) => JSON.stringify(one.content).includes('AAPL'))).toEqual([true, false])
  await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/nothing/)
  await client.close()
})

test('logout ends the tokens at the server, too', async () => {
  const { accessToken } = JSON.parse(await readFile(file(), 'utf8')).logins[server.url]
  expect((await cli('logout')).code).toBe(0)
  const headers = { authorization: `Bearer ${accessToken}` }
  await expect.poll(async () => (await fetch(`${server.url}/v1/usage`, { headers })).status).toBe(401)
  expect([(await cli('whoami')).code, (await cli('logout')).code]).toEqual([3, 0])
})
