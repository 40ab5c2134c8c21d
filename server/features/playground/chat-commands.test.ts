import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { commandList } from '../../../web/features/playground/chat/language/command-list.ts'
import { parseCommand } from '../../../web/features/playground/chat/language/parse-command.ts'
import { planCalls } from '../../../web/features/playground/chat/language/plan-calls.ts'
import { listedIn, reportsIn } from '../../../web/features/playground/chat/look-up/look-up.ts'
import { bundledDatasets, starters } from '../../../web/features/playground/chat/suggestions/suggestions.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
await person.call('POST', '/api/playground/servers/finmeter/connect', { body: {} })

async function call(tool: string, args: Record<string, unknown>) {
  const { status, body } = await person.call('POST', `/api/playground/servers/finmeter/tools/${tool}/call`, {
    body: { arguments: args },
  })
  expect([tool, status, body.data?.result.isError ?? false, body.data?.result.content[0]?.text]).toEqual([
    tool,
    200,
    false,
    expect.any(String),
  ])
  return body.data.result
}
const find = async (query: string) => listedIn((await call('search_symbols', { query, limit: 8 })).structuredContent)
const findReports = async (symbol: string) => reportsIn((await call('get_company', { symbol })).structuredContent)
const plan = async (line: string) => planCalls(parseCommand(line, '2026-11-23'), find, findReports)

const { body } = await person.call('GET', '/api/playground/servers/finmeter/tools')
const { tools } = body.data
const typed: Record<string, string> = { 'add N + N': 'add 2 + 3', 'echo TEXT': 'echo hello' }
const lines = [
  ...commandList([], null, tools).map(({ command }) => typed[command] ?? command),
  ...starters([...bundledDatasets], [], tools).map(({ line }) => line),
]

test.each([...new Set(lines)].filter((line) => line !== 'help').map((line) => [line]))(
  'the advertised line "%s" succeeds, with rows if it is about data',
  async (line) => {
    const { calls, leftOut } = await plan(line)
    expect([calls.length > 0, leftOut]).toEqual([true, []])
    for (const one of calls) {
      const { structuredContent } = await call(one.tool, one.arguments)
      if (Array.isArray(structuredContent.rows)) expect(structuredContent.rows.length).toBeGreaterThan(0)
    }
  },
)

test.each([
  ['how much is apple', ['AAPL'], ['symbols']],
  ['price of natural gas', 'GAS.HENRYHUB', ['series_id']],
  ['US CPI since 2020', 'US.CPI', ['series_id']],
  ['how did the S&P 500 do in 2019', 'SPX', ['symbol']],
  ['brent oil last year', 'OIL.BRENT', ['series_id']],
])('in "%s" the name is found', async (line, symbol, path) => {
  const { calls } = await plan(line)
  expect(calls.map((one) => one.arguments[path[0]!])).toEqual([symbol])
})

test('a long period arrives whole: its last value is the newest', async () => {
  for (const line of ['oil since 1990', 'chart gold max', 'VIX max']) {
    const [one] = (await plan(line)).calls
    const { structuredContent } = await call(one!.tool, one!.arguments)
    expect([line, structuredContent.meta.truncated, structuredContent.rows.at(-1)[0].slice(0, 4)]).toEqual([
      line,
      false,
      expect.stringMatching(/^202[56]$/),
    ])
  }
})

test('help is understood', () => {
  expect(commandList([], null, tools).map(({ command }) => command)).toContain('help')
  expect(parseCommand('help')).toEqual({ kind: 'help' })
})
