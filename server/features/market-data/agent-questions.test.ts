import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, describe, expect, test } from 'vitest'
import { productTools } from '../../product-tools.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import type { Cell, Table } from '../tools/define-tool.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'

interface Question {
  question: string
  tool: string
  arguments: Record<string, unknown>
  pick: { row: number | Record<string, Cell>; column: string } | { meta: string } | { field: string } | { count: true }
  expected: Cell
  tolerance: number
}

/** Written by the script of the same name, from the data files alone, or from the filings alone. */
const read = (name: string): Question[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'))
const questions = read('agent-questions')
const filingQuestions = read('filing-questions')
const MOST_TOKENS = 1_500

const server = await closeAfterTests(startToolServer(productTools))
const { value } = await server.key({ credits: 10_000 })
const client = new Client({ name: 'asker', version: '1.0.0' })
const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
  requestInit: { headers: { authorization: `Bearer ${value}` } },
})
await client.connect(transport)
afterAll(async () => {
  await client?.close()
})

async function call(name: string, args: Record<string, unknown>) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const text = (content as { text: string }[])[0]!.text
  return { text, isError: isError === true, structured: structuredContent as Table & Record<string, Cell> }
}

/** The figure that answers a question. */
function figure(pick: Question['pick'], answer: Table & Record<string, Cell>): Cell | undefined {
  if ('field' in pick) return answer[pick.field]
  if ('count' in pick) return answer.rows.length
  if ('meta' in pick) return answer.meta[pick.meta] as Cell
  const { row: wanted, column } = pick
  const at = (name: string) => answer.columns.indexOf(name)
  const row =
    typeof wanted === 'number'
      ? answer.rows[wanted]
      : answer.rows.find((one) => Object.entries(wanted).every(([name, value]) => one[at(name)] === value))
  return row?.[at(column)]
}

test('there are sixty-four questions for thirteen tools', () => {
  expect(questions).toHaveLength(64)
  const asked = new Set(questions.map(({ tool }) => tool))
  expect([...asked].sort()).toEqual([
    'compute_indicator',
    'convert_currency',
    'get_bars',
    'get_company',
    'get_corporate_actions',
    'get_economic_series',
    'get_financials',
    'get_market_calendar',
    'get_quote',
    'price_option',
    'screen_stocks',
    'search_symbols',
    'summarize_prices',
  ])
})

test('sixty questions are about filings, yields and reference rates', () => {
  expect(filingQuestions).toHaveLength(60)
  expect(new Set(filingQuestions.map(({ question }) => question)).size).toBe(60)
  expect(filingQuestions.filter(({ tool }) => tool === 'get_financials').length).toBeGreaterThan(50)
})

/** Figures of the reports themselves: the lookup of the script must agree with them. */
test.each([
  ["What was Apple's revenue in fiscal 2025?", 416_161_000_000],
  ['What revenue for fiscal 2009 had Apple reported by 24 January 2010?', 36_537_000_000],
  ['And a day later, after the amended report?', 42_905_000_000],
  ['And in the fourth quarter of fiscal 2026?', 68_127_000_000],
  ["What was Alphabet's gross profit in 2024?", 203_712_000_000],
  ['What did ten-year Treasuries yield on 2 July 2026?', 4.49],
  ['How many dollars was a euro on 13 April 2026?', 1.1684],
])('%s has the published figure', (question, published) => {
  expect(filingQuestions.find((one) => one.question === question)?.expected).toBe(published)
})

describe('one call answers correctly in few tokens', () => {
  test.each([...questions, ...filingQuestions].map((one) => [one.question, one] as const))(
    '%s',
    async (_, { tool, arguments: args, pick, expected, tolerance }) => {
      const { text, isError, structured } = await call(tool, args)
      expect(isError, text).toBe(false)
      const found = figure(pick, structured)
      if (typeof expected === 'number' && tolerance > 0)
        expect(Math.abs(Number(found) - expected), `${found} instead of ${expected}`).toBeLessThanOrEqual(tolerance)
      else expect(found).toBe(expected)
      expect(encode(text).length).toBeLessThan(MOST_TOKENS)
    },
  )
})

/** A wrong call, what its error must name, and the next call, built from the error's words. */
const mistakes: [string, Record<string, unknown>, string, Record<string, unknown>][] = [
  ['get_quote', { symbols: ['GOOGLE'] }, 'search_symbols', { symbols: ['AAPL'] }],
  ['get_quote', { symbols: 'AAPL' }, 'symbols', { symbols: ['AAPL'] }],
  ['get_quote', { symbols: ['AAPL'], date: '2015-06-08' }, 'on', { symbols: ['AAPL'], on: '2015-06-08' }],
  ['get_quote', { symbols: [] }, 'symbols', { symbols: ['SPX'] }],
  ['get_bars', { symbol: 'APPL' }, 'AAPL', { symbol: 'AAPL' }],
  ['get_bars', { symbol: 'GE', interval: 'daily' }, '1d', { symbol: 'GE', interval: '1d' }],
  ['get_bars', { symbol: 'GE', adjust: 'raw' }, 'none', { symbol: 'GE', adjust: 'none' }],
  ['get_bars', { symbol: 'GE', range: '10y' }, '5y', { symbol: 'GE', range: '5y' }],
  [
    'get_bars',
    { symbol: 'GE', range: '1y', from: '2014-01-02' },
    'from or range',
    { symbol: 'GE', from: '2014-01-02', limit: 5 },
  ],
  [
    'get_bars',
    { symbol: 'GE', from: '2015-06-08', to: '2015-06-01' },
    '2015-06-01',
    { symbol: 'GE', from: '2015-06-01', to: '2015-06-08' },
  ],
  [
    'get_bars',
    { symbol: 'GE', columns: ['adjusted_close'] },
    'close',
    { symbol: 'GE', columns: ['close'], adjust: 'all' },
  ],
  ['get_bars', { symbol: 'NDX', interval: '5m' }, '1d', { symbol: 'NDX', interval: '1d' }],
  ['get_bars', { symbol: 'GE', limit: 50_000 }, '10000', { symbol: 'GE', limit: 100 }],
  ['compute_indicator', { symbol: 'GE', indicator: 'moving_average' }, 'sma', { symbol: 'GE', indicator: 'sma' }],
  [
    'compute_indicator',
    { symbol: 'GE', indicator: 'sma', params: [20, 50] },
    'period',
    { symbol: 'GE', indicator: 'sma', params: [50] },
  ],
  ['get_financials', { symbol: 'IBM', statement: 'cashflow' }, 'cash', { symbol: 'IBM', statement: 'cash' }],
  ['get_financials', { symbol: 'IBM', fields: ['sales'] }, 'revenue', { symbol: 'IBM', fields: ['revenue'] }],
  [
    'screen_stocks',
    { filters: [{ field: 'revenue', op: '>', value: 1e9 }] },
    'gt',
    { filters: [{ field: 'revenue', op: 'gt', value: 1e9 }] },
  ],
  ['convert_currency', { amount: 10, from: 'USD', to: 'EUR' }, 'amount', { amount: '10', from: 'USD', to: 'EUR' }],
  ['convert_currency', { amount: '10', from: 'USD', to: 'EURO' }, 'EUR', { amount: '10', from: 'USD', to: 'EUR' }],
  ['get_economic_series', { series_id: 'CPI_US' }, 'US.CPI', { series_id: 'US.CPI' }],
  ['get_market_calendar', { mic: 'NASDAQ' }, 'XNAS', { mic: 'XNAS' }],
  [
    'analyze_portfolio',
    { holdings: [{ symbol: 'AAPL', weight: 60 }] },
    'fractions',
    { holdings: [{ symbol: 'AAPL', weight: 0.6 }] },
  ],
  [
    'price_option',
    { type: 'call', spot: 42, strike: 40, days: 30, rate: 0.1 },
    'volatility',
    { type: 'call', spot: 42, strike: 40, days: 30, rate: 0.1, volatility: 0.2 },
  ],
]

describe('a wrong call is free, and its error contains what the next call needs', () => {
  test.each(mistakes)('%s %j', async (tool, wrong, clue, right) => {
    const refused = await call(tool, wrong)
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain(clue)
    expect(encode(refused.text).length).toBeLessThan(300)
    const mended = await call(tool, right)
    expect(mended.isError, mended.text).toBe(false)
    expect(mended.structured.rows.length).toBeGreaterThan(0)
  })
})
