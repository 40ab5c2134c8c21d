import { execFile, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyable } from '../../lib/clipboard.ts'
import { code } from './code.ts'
import { commandLine } from './command-line.ts'
import type { HttpLanguage } from './languages.ts'
import { shellJson, snippet } from './snippets.ts'

const run = promisify(execFile)
const seen: { path: string | undefined; authorization: string | undefined }[] = []
let body = ''
const server = createServer(async (request, response) => {
  seen.push({ path: request.url, authorization: request.headers.authorization })
  body = await text(request)
  response.setHeader('content-type', 'application/json').end('{"data":["row"]}')
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

const programs: Record<HttpLanguage, (code: string) => [string, string[]]> = {
  curl: (code) => ['sh', ['-c', code]],
  javascript: (code) => [process.execPath, ['--input-type=module', '-e', code]],
  python: (code) => ['python3', ['-c', code]],
}

const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0
const runnable = (Object.keys(programs) as HttpLanguage[]).filter(
  (language) => isInstalled(programs[language]('')[0]) || language === 'curl',
)

test.each(runnable)('the %s snippet runs as it is copied', async (language) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/bars/SPX?limit=5`
  const [command, args] = programs[language](copyable(snippet(language, url, 'fm_test')))
  const { stdout } = await run(command, args)
  expect(stdout).toContain('row')
  expect(seen.at(-1)).toEqual({ path: '/v1/bars/SPX?limit=5', authorization: 'Bearer fm_test' })
})

/** As a link to a reference page can fill it in. */
const hostile = {
  q: `'; touch /tmp/x; '"&calc&"\\" %PATH% !! \u2019; calc; \u2018 \n \\`,
  list: ['$(id)', '`id`', '\\"', "\\'"],
}

test.each(runnable)('a body that a link has chosen stays text in the %s snippet', async (language) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/screen`
  const [command, args] = programs[language](copyable(snippet(language, url, 'fm_test', hostile)))
  await run(command, args)
  expect(JSON.parse(body)).toEqual(hostile)
})

test('neither cmd nor PowerShell sees an end of its quotes in a body', () => {
  const [, json] = /^ *-d '(.*)'$/m.exec(snippet('curl', 'http://host/', 'k', hostile))!
  expect(JSON.parse(json!)).toEqual(hostile)
  expect(json).not.toMatch(/['\u2018-\u201b%!]/)
  // cmd counts quotes, whatever is before them: outside of them is nothing but JSON's own characters.
  expect(json!.replaceAll(/"[^"]*"/g, '')).toBe('{:,:[,,,]}')
})

test('the copied command is one line', () => {
  expect(copyable(snippet('curl', 'http://host/', 'k'))).toBe('curl "http://host/" -H "Authorization: Bearer k"')
})

const bars = { tool: 'get_bars', template: '/v1/bars/{symbol}' }
const line = (path: string, body?: unknown, operation = bars) =>
  copyable(commandLine(operation, `https://data.example.com${path}`, 'k', body, shellJson))

test('the command line names the inputs of the path and of the query, and its own options', () => {
  expect(code('cli', bars, 'https://data.example.com/v1/bars/BTC%2FUSD?range=1y&limit=5&format=csv', 'k')).toBe(
    'npx finmeter tools call get_bars \\\n  --symbol BTC/USD --range 1y --limit 5 \\\n  --csv --url https://data.example.com --api-key k',
  )
  expect(line('/v1/bars/AAPL?format=columns&dry_run=true')).toBe(
    'npx finmeter tools call get_bars --symbol AAPL --dry-run --json --url https://data.example.com --api-key k',
  )
  expect(line('/v1/datasets', undefined, { tool: 'list_datasets', template: '/v1/datasets' })).toBe(
    'npx finmeter tools call list_datasets --url https://data.example.com --api-key k',
  )
})

test('the command line quotes whatever is not plain, and the JSON of a POST', () => {
  expect(line(`/v1/bars/${encodeURIComponent("'; rm -rf ~ #")}`)).toContain(
    `--input '{"symbol":"\\u0027; rm -rf ~ #"}'`,
  )
  expect(line('/v1/bars/-x')).toContain(`--input '{"symbol":"-x"}'`)
  expect(line('/v1/bars/AAPL?columns=date&columns=close')).toContain('--columns date,close')
  expect(line('/v1/screen', { sort: 'a' }, { tool: 'screen', template: '/v1/screen' })).toContain(
    `--input '{"sort":"a"}'`,
  )
})

test('the libraries are called by the names and types of their methods', () => {
  const call = (language: 'javascript' | 'python', path: string, body?: unknown, operation = bars) =>
    code(language, operation, `https://data.example.com${path}`, 'k', body).split('\n\n')[1]
  expect(code('javascript', bars, 'https://data.example.com/v1/bars/BTC%2FUSD?range=1y&limit=5', 'k')).toBe(
    `// npm install finmeter
import { Finmeter } from "finmeter"

const finmeter = new Finmeter({ key: "k", url: "https://data.example.com" })
const { rows } = await finmeter.getBars({ symbol: "BTC/USD", range: "1y", limit: 5 })
console.log(rows)`,
  )
  expect(code('python', bars, 'https://data.example.com/v1/bars/AAPL?from=2020-01-01&columns=date,close', 'k')).toBe(
    `# pip install "finmeter[pandas]"
from finmeter import Finmeter

finmeter = Finmeter("k", "https://data.example.com")
print(finmeter.get_bars(
  "AAPL",
  from_="2020-01-01",
  columns=["date", "close"],
).df())`,
  )
  expect(call('javascript', '/v1/bars/AAPL?format=csv')).toContain(
    'const { text } = await finmeter.getBars({ symbol: "AAPL" }).csv()',
  )
  expect(call('python', '/v1/bars/AAPL?dry_run=true')).toContain('finmeter.get_bars("AAPL").dry_run().credits')
})

test('a request that the libraries cannot make is written as HTTP', () => {
  const upstream = { tool: 'acme_list_orders', template: '/v1/acme/orders/{id}' }
  for (const [operation, path, body] of [
    [upstream, '/v1/acme/orders/7', undefined],
    [bars, '/v1/bars/AAPL?format=parquet', undefined],
    [{ tool: 'screen_stocks', template: '/v1/screen' }, '/v1/screen', { 'x: 1 }); evil({ y': 1 }],
    [{ tool: 'constructor', template: '/v1/x' }, '/v1/x', undefined],
  ] as const) {
    const url = `https://data.example.com${path}`
    expect(code('javascript', operation, url, 'k', body)).toBe(snippet('javascript', url, 'k', body))
    expect(code('python', operation, url, 'k', body)).toBe(snippet('python', url, 'k', body))
  }
})

test('what a link has chosen stays text in a call of the libraries', () => {
  const symbol = '"}); evil(); ({ a: "\\'
  const url = `https://data.example.com/v1/bars/${encodeURIComponent(symbol)}`
  for (const language of ['javascript', 'python'] as const)
    expect(code(language, bars, url, 'k')).toContain(JSON.stringify(symbol))
})
