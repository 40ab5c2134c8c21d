import { describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import type { CodeTool } from '../tools/define-tool.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { marketDataTools } from './tools.ts'

const server = await closeAfterTests(startToolServer(marketDataTools))
const key = await server.key({ credits: 10_000 })

/** Other required inputs of these tools. */
const needed: Record<string, Record<string, unknown>> = { compute_indicator: { indicator: 'sma' } }

/** A call in REST form: path and query, or a body. */
async function send(tool: CodeTool, inputs: Record<string, unknown>) {
  const { method, path, names = {} } = tool.rest!
  const named = Object.entries({ ...needed[tool.name], ...inputs }).map(
    ([name, value]) => [names[name] ?? name, value] as const,
  )
  const inPath = (name: string) => path.includes(`{${name}}`)
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(Object.fromEntries(named)[name])),
  )
  const others = named.filter(([name]) => !inPath(name))
  const headers = { 'x-api-key': key.value, 'content-type': 'application/json' }
  const query = others.map(([name, value]) => `${name}=${encodeURIComponent([value].flat().join(','))}`).join('&')
  const answer =
    method === 'POST'
      ? await fetch(server.url + url, { method, headers, body: JSON.stringify(Object.fromEntries(others)) })
      : await fetch(`${server.url}${url}?${query}`, { headers })
  const text = await answer.text()
  return { status: answer.status, charged: answer.headers.get('x-credits-charged'), text, body: JSON.parse(text) }
}

const served = marketDataTools.filter(({ rest }) => rest)
const having = (...names: string[]) => served.filter(({ input }) => names.every((name) => name in input.shape))
const rowOf = (tool: CodeTool) => [tool.name, tool] as const

/** The tool's own example without its date and time inputs. */
const plain = ({ example = {} }: CodeTool) =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !['range', 'from', 'to', 'date', 'on'].includes(name)))

const LONG = 'A'.repeat(10_240)
const symbols: [string, string][] = [
  ['a slash', 'BRK/Z'],
  ['two dots and slashes', '../../etc/passwd'],
  ['a caret', '^^GSPCX'],
  ['dots', '...'],
  ['a dot and a wrong exchange', 'AAPL.XXXX'],
  ['letters of other scripts', '日経平均株価'],
  ['a picture', '🚀🚀'],
  ['right-to-left marks', '\u202eLPAA'],
  ['a zero byte', 'AA\u0000PL'],
  ['a line break', 'AAPL\nMSFT'],
  ['markup', '<script>alert(1)</script>'],
  ['SQL', "AAPL' or '1'='1"],
  ['a percent sign', '%41%'],
  ['10 kB', LONG],
  ['blanks', '   '],
]

describe.each(having('symbol').map(rowOf))('%s refuses a symbol with', (_, tool) => {
  test.each(symbols)('%s', async (_name, symbol) => {
    const before = await server.spending(key.accountId)
    const { status, text, body } = await send(tool, { ...plain(tool), symbol })
    expect([400, 404, 414]).toContain(status)
    expect(['invalid_parameter', 'unknown_symbol', 'not_found', 'uri_too_long']).toContain(body.code)
    if (status !== 414 && body.code !== 'not_found') expect(body.param).toBe('symbol')
    expect(text.length).toBeLessThan(2_000)
    expect(body.detail.length).toBeGreaterThan(20)
    expect(await server.spending(key.accountId)).toEqual(before)
  })
})

describe.each(having('symbols').map(rowOf))('%s', (_, tool) => {
  test('refuses 10 kB of symbol, and names those that it does not know', async () => {
    expect(await send(tool, { ...plain(tool), symbols: [LONG] })).toMatchObject({ status: 400 })
    const { status, body } = await send(tool, { ...plain(tool), symbols: ['AAPL', 'BRK/Z', '日経'] })
    expect(status).toBe(200)
    expect(body.meta.errors.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['BRK/Z', '日経'])
  })
})

// Amounts are converted from one currency to another; those are not dates.
const dated = having('from', 'to').filter(({ name }) => name !== 'convert_currency')

describe.each(dated.map(rowOf))('%s', (_, tool) => {
  test('refuses dates that go backwards, naming `to` and both dates', async () => {
    const { status, body } = await send(tool, { ...plain(tool), from: '2015-06-08', to: '2015-06-01' })
    expect([status, body.code, body.param]).toEqual([400, 'invalid_parameter', 'to'])
    expect(body.detail).toMatch(/2015-06-01.*2015-06-08|2015-06-08.*2015-06-01/)
  })

  test('returns nothing for 9999-12-31, and charges nothing', async () => {
    for (const days of [{ from: '9999-12-31' }, { from: '9999-12-31', to: '9999-12-31' }]) {
      const { status, charged, body } = await send(tool, { ...plain(tool), ...days })
      if (status === 200)
        expect([charged, body.data, body.meta.warnings.length > 0 || body.meta.errors?.length > 0]).toEqual([
          '0',
          [],
          true,
        ])
      else expect([status, body.code]).toEqual([400, 'invalid_parameter'])
    }
  })

  test.each([
    '2015-02-29',
    '2015-13-01',
    '15-06-08',
    '2015-6-8',
    'yesterday',
    '10000-01-01',
    '2015-06-08T00:00:00Z',
    '٢٠١٥-٠٦-٠٨',
    '',
  ])('refuses the date "%s"', async (from) => {
    const { status, body } = await send(tool, { ...plain(tool), from })
    expect([status, body.code, body.param]).toEqual([400, 'invalid_parameter', 'from'])
  })

  test('accepts the full range of dates', async () => {
    expect((await send(tool, { ...plain(tool), from: '0001-01-01', to: '9999-12-31' })).status).toBeLessThan(401)
  })
})

describe.each(served.filter(({ kind }) => kind === 'table').map(rowOf))('%s', (_, tool) => {
  test('refuses an unknown column, and lists the known ones', async () => {
    const columns = ['no_such_column']
    const { status, body } =
      tool.rest!.method === 'POST' && !('columns' in tool.input.shape)
        ? await sendWithQuery(tool, 'columns=no_such_column')
        : await send(tool, { ...tool.example, columns })
    expect([status, body.code]).toEqual([400, 'invalid_parameter'])
    expect(body.param).toMatch(/^columns/)
    expect(body.allowed.length).toBeGreaterThan(1)
  })
})

/** A POST of the tool's example with a query string. */
async function sendWithQuery(tool: CodeTool, query: string) {
  const answer = await fetch(`${server.url}${tool.rest!.path}?${query}`, {
    method: 'POST',
    headers: { 'x-api-key': key.value, 'content-type': 'application/json' },
    body: JSON.stringify(tool.example),
  })
  return { status: answer.status, body: await answer.json() }
}
