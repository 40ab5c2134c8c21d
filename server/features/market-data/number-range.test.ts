import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { marketDataTools } from './tools.ts'

const server = await closeAfterTests(startToolServer([...basicTools, ...marketDataTools]))
const key = (await server.key({ credits: 10_000 })).value

async function call(name: string, args: object) {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  return (await answer.json()).result
}

test.each([
  [1e308, 1e308],
  [-1e308, -1e308],
  [Number.MAX_VALUE, Number.MAX_VALUE],
])('add(%d, %d) is beyond numbers: the caller is told so, and it is no fault of ours', async (a, b) => {
  expect(await call('add', { a, b })).toMatchObject({
    isError: true,
    content: [{ text: 'The result is too large to be represented as a number.' }],
    _meta: { 'finmeter/error': 'result_out_of_range', 'finmeter/credits-charged': 0 },
  })
})

test('the largest sum that is a number is one', async () => {
  expect((await call('add', { a: Number.MAX_VALUE, b: 0 })).structuredContent).toEqual({ result: Number.MAX_VALUE })
  expect((await call('add', { a: 1e308, b: -1e308 })).structuredContent).toEqual({ result: 0 })
})

const extremes = [Number.MIN_VALUE, 1e-300, 1e-9, 1, 1e9]
const prices = extremes.flatMap((spot) => extremes.map((strike) => ({ spot, strike })))

test.each(prices)(
  'an option of spot $spot and strike $strike has a price, or a refusal that says why',
  async (contract) => {
    for (const [rate, dividend] of [
      [-1, -1],
      [-1, 5],
      [5, -1],
      [5, 5],
    ])
      for (const days of [1e-300, 1, 36_500])
        for (const more of [
          { volatility: 1e-300 },
          { volatility: 10 },
          { market_price: 1e-300 },
          { market_price: 1e9 },
        ]) {
          const input = { type: 'call', ...contract, days, rate, dividend_yield: dividend, ...more }
          const { isError, _meta } = await call('price_option', input)
          expect([input, isError ? _meta['finmeter/error'] : 'priced']).toEqual([
            input,
            expect.stringMatching(/^(priced|invalid_parameter|result_out_of_range)$/),
          ])
        }
  },
)

test.each([
  [
    'a portfolio of huge weights',
    'analyze_portfolio',
    {
      holdings: [
        { symbol: 'AAPL', weight: -1000 },
        { symbol: 'MSFT', weight: 1000 },
      ],
      range: 'max',
    },
  ],
  ['a screen for a huge number', 'screen_stocks', { filters: [{ field: 'price', op: 'gt', value: 1e308 }] }],
  [
    'a huge parameter of an indicator',
    'compute_indicator',
    { symbol: 'AAPL', indicator: 'bbands', params: [20, 1e308] },
  ],
  ['a huge amount', 'convert_currency', { amount: '999999999999999.9999999999', from: 'USD', to: 'JPY' }],
])('%s never fails on our side', async (_what, name, args) => {
  const { isError, _meta } = await call(name, args)
  expect(isError ? _meta['finmeter/error'] : 'answered').toMatch(/^(answered|invalid_parameter|result_out_of_range)$/)
})
