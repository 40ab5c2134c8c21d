import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { productTools } from '../../product-tools.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { estimateTokens } from '../tools/listing/estimate-tokens.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { marketDataTools } from './tools.ts'

/** The cost of an answer for an agent: tokens, as o200k counts them. */
const tokens = (text: string) => encode(text).length

const server = await closeAfterTests(startToolServer(productTools))
const key = (await server.key({ credits: 100_000 })).value

async function call(name: string, args: unknown, apiKey = key) {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  const { result } = await answer.json()
  return {
    isError: result.isError === true,
    text: result.content[0].text as string,
    meta: result._meta,
    structured: result.structuredContent,
  }
}

describe('answers to the most ordinary calls', () => {
  test.each(marketDataTools.filter(({ mcp }) => mcp !== false).map(({ name, example }) => [name, example]))(
    '%s takes less than 1,500 tokens',
    async (name, example) => {
      const { isError, text, structured } = await call(name as string, example)
      expect(isError).toBe(false)
      expect(tokens(text)).toBeLessThan(1_500)
      expect(JSON.parse(text)).toEqual(structured)
    },
  )

  test.each([
    ['get_bars', { symbol: 'AAPL' }],
    ['get_bars', { symbol: 'SPX', interval: '1w' }],
    ['get_bars', { symbol: 'BTC/USD', interval: '1h' }],
    ['search_symbols', {}],
    ['get_economic_series', { series_id: 'US.CPI' }],
    ['compute_indicator', { symbol: 'GE', indicator: 'macd' }],
    ['get_financials', { symbol: 'AAPL', statement: 'balance' }],
    ['get_corporate_actions', { symbol: 'MSFT' }],
    ['get_market_calendar', { mic: 'XLON', from: '2024-12-20' }],
  ])('%s with %j takes less than 1,500 tokens', async (name, args) => {
    expect(tokens((await call(name, args)).text)).toBeLessThan(1_500)
  })

  test('an error is one or two sentences', async () => {
    const { isError, text } = await call('get_bars', { symbol: 'APPL' })
    expect(text).toBe('APPL is not in the catalog. Did you mean AAPL?')
    expect([isError, tokens(text) < 60]).toEqual([true, true])
    expect(text).toContain('AAPL')
  })
})

describe('the most that an answer can take', () => {
  const all = { symbol: 'GE', range: 'max', limit: 10_000, columns: ['date', 'open', 'high', 'low', 'close', 'volume'] }

  test.each([
    ['get_bars', all],
    ['get_bars', { symbol: 'BTC/USD', interval: '1m', range: 'max', limit: 10_000 }],
    ['compute_indicator', { symbol: 'SPX', indicator: 'bbands', last: 10_000 }],
    ['search_symbols', { limit: 500 }],
    ['get_economic_series', { series_id: 'US.SHILLER.PRICE', range: 'max', limit: 5000 }],
    [
      'screen_stocks',
      {
        filters: [{ field: 'revenue', op: 'gt', value: 0 }],
        limit: 500,
        columns: ['symbol', 'name', 'sector', 'industry', 'revenue', 'net_income', 'eps', 'total_assets'],
      },
    ],
  ])('%s %# stays below 21,000 tokens, whatever is asked', async (name, args) => {
    const { text } = await call(name, args)
    expect(tokens(text)).toBeLessThan(21_000)
  })

  test('a cut answer is a preview: it says so, charges only its rows, and can be continued', async () => {
    const { structured, meta } = await call('get_bars', all)
    const rows = structured.rows.length
    expect(rows).toBeGreaterThan(300)
    expect(rows).toBeLessThan(1_000)
    expect(structured.meta).toMatchObject({ row_count: rows, truncated: true })
    expect(structured.meta.warnings.at(-1)).toMatch(/^Preview: \d+ of 10000 rows/)
    expect(meta['finmeter/credits-charged']).toBe(1)
    const next = await call('get_bars', { ...all, cursor: structured.next_cursor })
    expect(next.structured.rows[0][0] > structured.rows.at(-1)[0]).toBe(true)
    expect(next.structured.meta.total_rows).toBe(13_450)
  })
})

test('token estimates of large answers are within 25 percent', async () => {
  for (const args of [
    { symbol: 'AAPL', range: '1y', limit: 1000 },
    { symbol: 'SPX', range: '5y', limit: 400, columns: ['date', 'open', 'high', 'low', 'close', 'volume'] },
  ]) {
    const { text } = await call('get_bars', args)
    const ratio = estimateTokens(text) / tokens(text)
    expect(ratio).toBeGreaterThan(0.75)
    expect(ratio).toBeLessThan(1.25)
  }
})

test('dry_run tells an agent the price without charge', async () => {
  const { structured, meta } = await call('get_bars', { symbol: 'GE', range: 'max', limit: 3000, dry_run: true })
  expect(structured.columns).toEqual(['rows', 'bytes', 'estimated_tokens', 'credits'])
  expect(structured.rows[0][0]).toBe(3000)
  expect(structured.rows[0][3]).toBe(3)
  expect(meta['finmeter/credits-charged']).toBe(0)
})

/** An error must contain what the next call needs: the corrected call, built from the error's own words, succeeds. */
describe('an error is fixed in one more call', () => {
  test.each([
    ['get_bars', { symbol: 'APPL' }, { symbol: 'AAPL' }],
    ['get_bars', { symbol: 'MSFT', interval: '2h' }, { symbol: 'MSFT', interval: '1h' }],
    ['get_bars', { symbol: 'GE', columns: ['price'] }, { symbol: 'GE', columns: ['close'] }],
    ['get_bars', { symbol: 'SPX', interval: '1m' }, { symbol: 'SPX', interval: '1d' }],
    ['get_bars', { ticker: 'GE' }, { symbol: 'GE' }],
    ['get_bars', { symbol: 'GE', from: '01/02/2014' }, { symbol: 'GE', from: '2014-01-02' }],
    ['get_economic_series', { series_id: 'CPI.US' }, { series_id: 'US.CPI' }],
    ['get_financials', { symbol: 'IBM', fields: ['sales'] }, { symbol: 'IBM', fields: ['revenue'] }],
    ['compute_indicator', { symbol: 'GE', indicator: 'bollinger' }, { symbol: 'GE', indicator: 'bbands' }],
    [
      'screen_stocks',
      { filters: [{ field: 'margin', op: 'gt', value: 5 }] },
      { filters: [{ field: 'profit_margin', op: 'gt', value: 5 }] },
    ],
    ['convert_currency', { amount: '10', from: 'EURO', to: 'USD' }, { amount: '10', from: 'EUR', to: 'USD' }],
    ['get_market_calendar', { mic: 'NYSE' }, { mic: 'XNYS' }],
  ])('%s %j', async (name, wrong, right) => {
    const error = await call(name, wrong)
    expect(error.isError).toBe(true)
    expect(error.meta['finmeter/credits-charged']).toBe(0)
    const changed = Object.entries(right).find(
      ([param, value]) => JSON.stringify((wrong as Record<string, unknown>)[param]) !== JSON.stringify(value),
    )!
    const clue =
      typeof changed[1] === 'string'
        ? /^\d{4}-/.test(changed[1])
          ? 'YYYY-MM-DD'
          : changed[0] === 'symbol' && 'ticker' in wrong
            ? 'symbol'
            : changed[1]
        : JSON.stringify(changed[1]).match(/close|revenue|profit_margin/)![0]
    expect(error.text).toContain(clue)
    expect((await call(name, right)).isError).toBe(false)
  })
})
