import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { afterTests } from '../../testing/close-after-tests.ts'
import { runCommand } from '../../testing/run-admin.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { crawl, found } from './testing/crawl.ts'
import { startNorthwind } from './testing/start-northwind.ts'

// examples/northwind-weather.ts as anybody runs it: from an empty folder to a shop that sells an own API.
/** What only a shop with market data may say. */
const MARKET = /market data|\bstocks?\b|financial data|get_bars|list_datasets|\bAAPL\b|OIL\.WTI|us-cpi|compare_assets/i

function start(folder: string, port: number) {
  const shop = startNorthwind(folder, port)
  afterTests(shop.stop)
  return shop
}

test('a script makes the shop from an empty folder, and nothing in it is ours or speaks of market data', async () => {
  const folder = join(temporaryFolder(), 'northwind')
  const port = await freePort()
  const url = `http://localhost:${port}`
  const shop = start(folder, port)
  const said = await shop.open
  expect(said.trimEnd().split('\n').at(-1)).toBe(`Northwind Weather is open at ${url}. Its files are in ${folder}.`)
  expect(said.match(/^weather_\w+ {2}GET \/v1\/weather\/\S+ {2}1 credit per call {2}MCP$/gm)).toHaveLength(8)

  const read = await crawl(url)
  expect([...read].flatMap(([path, words]) => found(words).map((one) => `${path}: ${one}`))).toEqual([])
  expect([...read.values()].filter((words) => words.includes('Powered by'))).toEqual([])
  expect(read.get('/docs/getting-started')).toContain('/v1/weather/places/bergen/forecast')
  expect(read.get('/docs/reference/weather_get_forecast')).toContain('High, low and rain for up to 14 days.')
  const [, card] = /property="og:image" content="([^"]+)"/.exec(read.get('/docs')!)!
  expect((await fetch(card!)).headers.get('content-type')).toBe('image/png')
  for (const path of ['/openapi.json', '/server.json', '/config.json']) expect(read.get(path)).not.toMatch(MARKET)
  const document = JSON.parse(read.get('/openapi.json')!) as { info: { title: string }; paths: object }
  expect(document.info.title).toBe('Northwind Weather API')
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/v1/weather/'))).toEqual(['/v1/usage'])

  const env = { FINMETER_DATA_DIR: join(folder, 'data') }
  const customer = await runCommand('admin', ['loadtest', '--credits', '9'], env)
  const key = customer.out.trimEnd().split('\n').at(-1)!
  expect(key).toMatch(/^nw_[0-9A-Za-z]{38}$/)
  const call = async (path: string, given = key) => {
    const answer = await fetch(url + path, { headers: { 'x-api-key': given } })
    const { status, headers } = answer
    return { status, charged: headers.get('x-credits-charged'), text: await answer.text() }
  }

  const program = join(import.meta.dirname, '../../../sdk/typescript/src/cli/main.ts')
  const inTerminal = async (...words: string[]) => {
    const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, FINMETER_URL: url, FINMETER_API_KEY: key }
    const run = promisify(execFile)(process.execPath, [program, ...words], { env })
    const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
    // The name of the program itself stays.
    return (stdout + stderr).replaceAll(/^finmeter: |\bfinmeter (?=docs|keys|login|tools)/gm, '')
  }
  const lines = new Map<string, string>()
  for (const line of [
    'tools list',
    'tools call weather_get_forecast --place bergen --days 2',
    'tools call weather_get_forecast --place atlantis',
    'tools call nothing',
    'docs',
    'docs getting-started',
    'docs nowhere',
    'usage',
    'whoami',
  ])
    lines.set(line, await inTerminal(...line.split(' ')))
  expect(lines.get('tools call weather_get_forecast --place bergen --days 2')).toContain('bergen')
  expect([...lines].flatMap(([line, words]) => found(words).map((one) => `${line}: ${one}`))).toEqual([])
  expect([...lines].flatMap(([line, words]) => (MARKET.test(words) ? [`${line}: ${MARKET.exec(words)}`] : []))).toEqual(
    [],
  )

  const client = new Client({ name: 'crawl', version: '1' })
  const requestInit = { headers: { 'x-api-key': key } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'get_usage',
    ...['list_places', 'get_place', 'get_current_weather', 'get_forecast', 'get_hourly_forecast', 'get_history'].map(
      (name) => `weather_${name}`,
    ),
    'weather_get_rain_outlook',
    'weather_get_frost_outlook',
  ])
  const lists = [await client.listPrompts(), await client.listResources(), await client.listResourceTemplates()]
  expect(lists).toMatchObject([{ prompts: [] }, { resources: [] }, { resourceTemplates: [] }])
  for (const [ref, name] of [
    [{ type: 'ref/prompt', name: 'analyze_stock' }, 'symbol'],
    [{ type: 'ref/resource', uri: 'dataset://{id}' }, 'id'],
  ] as const)
    expect((await client.complete({ ref, argument: { name, value: '' } })).completion.values).toEqual([])
  const about = JSON.stringify([client.getServerVersion(), client.getInstructions(), tools, lists])
  expect(found(about)).toEqual([])
  expect(about).not.toMatch(MARKET)
  await client.close()

  const forecast = await call('/v1/weather/places/bergen/forecast?days=3')
  expect([forecast.status, forecast.charged]).toEqual([200, '1'])
  expect(JSON.parse(forecast.text)).toMatchObject({ place: 'bergen', days: [{}, {}, {}] })
  const refused = [
    await call('/v1/weather/places/atlantis'),
    await call('/v1/weather/places/bergen/forecast?days=x'),
    await call('/v1/bars/X'),
    await call('/v1/usage', 'nw_wrong'),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 401])
  const account = /^Account (\S+) /m.exec(customer.out)![1]!
  expect((await runCommand('admin', ['suspend', account, '--reason', 'a test'], env)).err).toBe('')
  const suspended = await call('/v1/weather/places/bergen/now')
  expect(JSON.parse(suspended.text).detail).toBe('This account is suspended. Write to help@northwind.example.')
  for (const { text } of [...refused, suspended]) {
    expect(found(text)).toEqual([])
    expect(text).not.toMatch(MARKET)
  }
  expect(await shop.stop()).toBe(0)
}, 600_000)

test('a folder with files is left alone', async () => {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'mine'))
  await writeFile(join(folder, 'mine/notes.txt'), 'mine')
  const shop = start(folder, 1)
  expect(await shop.open).toBe(`${folder} is not empty. Remove it, or name another with --folder.\n`)
  expect(await shop.stop()).toBe(1)
})
