import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { errorCatalog } from '../../contract/errors.ts'
import { marketDataTools } from '../../server/features/market-data/tools.ts'
import { startToolServer } from '../../server/features/tools/testing/tool-server.ts'
import { closeAfterTests } from '../../server/testing/close-after-tests.ts'
import { allPages } from './all-pages.ts'
import { fitGuide } from './fit-guide.ts'
import { productOperation } from './product-operation.ts'
import { parseRequest, requestSnippet } from './request-example.ts'

const run = promisify(execFile)
const { pages, guides: written } = await allPages()
const guides = pages.filter(({ group }) => group === 'Guides')

/** Everything in the guides that readers copy: requests in their curl form, and shell lines that call the API. */
const snippets = guides.flatMap(({ path, markdown }) =>
  [...markdown.matchAll(/^```(request|bash)\n([\s\S]*?)\n```$/gm)]
    .filter(([, language, text]) => language === 'request' || /%ORIGIN%\/v1\//.test(text!))
    .map(([, language, text]): [string, string, string] => [
      path,
      text!.split('\n', 1)[0]!.slice(0, 70),
      language === 'request' ? requestSnippet(parseRequest(text!), 'curl', productOperation) : text!,
    ]),
)

const server = await closeAfterTests(startToolServer(marketDataTools))
const key = (await server.key({ credits: 10_000 })).value
const directory = temporaryFolder()

const shell = async (code: string) => {
  const own = code.replaceAll('%ORIGIN%', server.url).replaceAll('YOUR_API_KEY', key)
  const { stdout } = await run('sh', ['-c', own], { cwd: directory, timeout: 120_000 })
  return stdout
}

test('the guides show what is there to be tried', () => {
  expect(snippets.length).toBeGreaterThanOrEqual(8)
})

test.each(snippets)('%s: %s', async (_path, _first, code) => {
  expect(await shell(code)).not.toMatch(/urn:finmeter:error|%ORIGIN%|YOUR_API_KEY/)
})

const snippetWith = (text: string) => snippets.find(([, , code]) => code.includes(text))![2]

test('the Parquet line leaves a Parquet file, the long CSV its 50,669 rows, the ETag lines a 304, the dry run a price', async () => {
  await shell(snippetWith('rows.parquet'))
  expect((await readFile(join(directory, 'rows.parquet'))).subarray(0, 4).toString()).toBe('PAR1')
  await shell(snippetWith('rows.csv'))
  expect((await readFile(join(directory, 'rows.csv'), 'utf8')).trim().split('\r\n')).toHaveLength(50_670)
  expect(await shell(snippetWith('If-None-Match'))).toBe('304\n')
  expect(JSON.parse(await shell(snippetWith('dry_run')))).toMatchObject({ data: [{ rows: 10_000, credits: 10 }] })
  expect(JSON.parse(await shell(snippetWith('apikey=demo'))).data).toHaveLength(2)
})

const guide = (path: string) => guides.find((one) => one.path === path)!.markdown
const sample = (markdown: string, field: string) => new RegExp(`"${field}": \\[?"([^"]+)"`).exec(markdown)?.[1]
const ask = async (path: string) =>
  (await (await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })).json()) as {
    data: object[]
    meta: Record<string, unknown>
  } & Record<string, unknown>

test('the answers that the guides show are those of the server', async () => {
  const { data, meta } = await ask('/v1/series/OIL.WTI?range=1mo')
  const start = guide('/docs/getting-started')
  const shownRows = [...start.matchAll(/\{"date": "[^}]+\}/g)].map(([row]) => JSON.parse(row))
  expect(shownRows).toEqual(data.slice(0, 3))
  for (const field of ['series_id', 'unit', 'as_of'])
    expect([field, sample(start, field)]).toEqual([field, meta[field]])
  const problem = await ask('/v1/bars/APPL')
  const shown = guide('/docs/errors')
  for (const field of ['type', 'title', 'code', 'detail', 'param', 'docs'])
    expect([field, sample(shown, field)]).toEqual([field, problem[field]])
  expect([sample(shown, 'suggestions')]).toEqual(problem.suggestions)
})

test('without market data, guides show the call that is sold, and an error that every shop has', async () => {
  const sold = {
    market: false,
    examples: false,
    data: false,
    demo: false,
    named: true,
    without: [],
    symbol: null,
    series: null,
  }
  const call = {
    tool: 'weather_forecast',
    path: '/v1/weather/forecast?city=Oslo',
    title: '[Forecast](/docs/reference/weather_forecast)',
    price: '2 credits per call',
  }
  const fitted = (path: string) => fitGuide(written.find((page) => page.path === path)!.markdown, sold, call)
  expect(fitted('/docs/authentication')).toContain('```request\nGET /v1/weather/forecast?city=Oslo\n```')
  expect(fitted('/docs/authentication')).not.toMatch(/\{\{|`demo`|Without your own key/)
  expect(fitted('/docs/credits-and-limits')).toContain('curl "%ORIGIN%/v1/weather/forecast?city=Oslo" -H')
  expect(fitted('/docs/mcp-clients')).not.toMatch(/\{\{|`add`|Testing the connection/)
  const sheets = fitted('/docs/spreadsheets')
  expect(sheets).toContain('[Forecast](/docs/reference/weather_forecast) costs 2 credits per call')
  expect(sheets).toContain('=WEATHER_FORECAST()')
  expect(sheets.match(/%ORIGIN%\/v1\/\S+?(?=")/g)).toEqual(Array(2).fill('%ORIGIN%/v1/weather/forecast?city=Oslo'))
  expect(sheets).not.toMatch(/\{\{|FINMETER|IMPORTDATA|\/v1\/(bars|quotes|series)/)
  const problem = (await (await fetch(`${server.url}/v1/bars/SPX`)).json()) as Record<string, unknown>
  const [shown = ''] = fitted('/docs/errors').split('## All codes')
  expect(shown).not.toMatch(/\{\{|symbol/)
  for (const field of ['type', 'title', 'code', 'detail', 'docs'])
    expect([field, sample(shown, field)]).toEqual([field, problem[field]])
})

test('the guide to errors says for every status of the catalog whether to try again', () => {
  const [table] = /^\| Status \| Retry \|[\s\S]*?\n\n/m.exec(guide('/docs/errors'))!
  const statuses = new Set(Object.values(errorCatalog).map(({ status }) => String(status)))
  expect([...table.matchAll(/\b\d{3}\b/g)].map(([status]) => status).sort()).toEqual([...statuses].sort())
})
