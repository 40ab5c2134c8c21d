import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { parseCommand } from '../../../web/features/playground/chat/language/parse-command.ts'
import { planCalls, withoutWords } from '../../../web/features/playground/chat/language/plan-calls.ts'
import { listedIn, reportsIn } from '../../../web/features/playground/chat/look-up/look-up.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const TODAY = '2026-11-23'
const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
await person.call('POST', '/api/playground/servers/finmeter/connect', { body: {} })
await server.deps.db.pool.query('update accounts set rate_limit_per_minute = 0')

async function run(tool: string, args: Record<string, unknown>) {
  const { status, body } = await person.call('POST', `/api/playground/servers/finmeter/tools/${tool}/call`, {
    body: { arguments: args },
  })
  expect([tool, args, status]).toEqual([tool, args, 200])
  return body.data.result
}
const searched = new Map<string, ReturnType<typeof listedIn>>()
async function find(query: string) {
  const found = searched.get(query) ?? listedIn((await run('search_symbols', { query, limit: 8 })).structuredContent)
  searched.set(query, found)
  return found
}
const findReports = async (symbol: string) => reportsIn((await run('get_company', { symbol })).structuredContent)
/** Credits of all receipts of this account. */
async function spent(): Promise<number> {
  const { rows } = await server.deps.db.pool.query<{ credits: number }>(
    'select coalesce(sum(from_credits + from_payg), 0)::int as credits from usage_events',
  )
  return rows[0]!.credits
}
const plan = (question: string) => planCalls(parseCommand(question, TODAY), find, findReports)

const quote = (...symbols: string[]) => ({ get_quote: { symbols } })
const bars = (symbol: string, interval: string, rest: object) => ({
  get_bars: { symbol, interval, ...rest, limit: 1000 },
})
const series = (series_id: string, rest: object) => ({ get_economic_series: { series_id, ...rest, limit: 2000 } })
const statements = (symbol: string, rest: object) => ({ get_financials: { symbol, ...rest } })
const convert = (amount: string, from: string, to: string, rest = {}) => ({
  convert_currency: { amount, from, to, ...rest },
})
const energy = [{ field: 'sector', op: 'contains', value: 'Energy' }]
const technology = [{ field: 'sector', op: 'contains', value: 'Information Technology' }]
const lastYear = { from: '2025-01-01', to: '2025-12-31' }

/** What people type, what it costs, and the calls that are right. */
const understood: [question: string, credits: number, ...calls: object[]][] = [
  ['add 2 + 3', 0, { add: { a: 2, b: 3 } }],
  ['calculate 12.5 + 7', 0, { add: { a: 12.5, b: 7 } }],
  ['say price of AAPL', 0, { echo: { text: 'price of AAPL' } }],
  ['what time is it?', 0, { timestamp: {} }],
  ['usage', 0, { get_usage: {} }],
  ['credits left', 0, { get_usage: {} }],
  ['How many credits do I have left?', 0, { get_usage: {} }],
  ['my balance', 0, { get_usage: {} }],
  ['what data do you have?', 0, { list_datasets: {} }],
  ['search natural gas', 0, { search_symbols: { query: 'natural gas' } }],
  ['is the nyse open today?', 0, { get_market_calendar: { mic: 'XNYS' } }],
  ['is the london stock exchange open', 0, { get_market_calendar: { mic: 'XLON' } }],

  ['price of AAPL', 1, quote('AAPL')],
  ['apple stock price', 1, quote('AAPL')],
  ['AAPL', 1, quote('AAPL')],
  ['aapl', 1, quote('AAPL')],
  ['apple', 1, quote('AAPL')],
  ["what's the price of microsoft?", 1, quote('MSFT')],
  ['How much is a share of Apple', 1, quote('AAPL')],
  ['msft quote', 1, quote('MSFT')],
  ['PRICE OF APPLE', 1, quote('AAPL')],
  ['MSFT price on 2012-03-01', 1, { get_quote: { symbols: ['MSFT'], on: '2012-03-01' } }],
  ['quotes for AAPL, MSFT and GE', 1, quote('AAPL', 'MSFT', 'GE')],
  ['AAPL MSFT', 1, quote('AAPL', 'MSFT')],
  ['what is the vix at', 1, quote('VIX')],
  ['s&p 500', 1, quote('SPX')],
  ['bitcoin price', 1, quote('BTC/USD')],
  ['general electric', 1, quote('GE')],
  ['yahoo share price', 1, quote('YHOO')],

  ['chart AAPL', 1, bars('AAPL', '1d', { range: '1y' })],
  ['AAPL on 11 May 2018', 1, { get_quote: { symbols: ['AAPL'], on: '2018-05-11' } }],
  ['AAPL since 2015', 1, bars('AAPL', '1w', { from: '2015-01-01' })],
  ['chart MSFT 2010 to 2012', 1, bars('MSFT', '1w', { from: '2010-01-01', to: '2012-12-31' })],
  ['msft in March 2012', 1, bars('MSFT', '1d', { from: '2012-03-01', to: '2012-03-31' })],
  [
    'candles VIX over 3 months',
    1,
    bars('VIX', '1d', { range: '3mo', columns: ['date', 'open', 'high', 'low', 'close', 'volume'] }),
  ],
  ['how did the S&P 500 do in 2019', 1, bars('SPX', '1d', { from: '2019-01-01', to: '2019-12-31' })],
  ['monthly chart of GE since 2000', 1, bars('GE', '1mo', { from: '2000-01-01' })],
  ['apple last 6 months', 1, bars('AAPL', '1d', { range: '6mo' })],
  ['VIX last 2 weeks', 1, bars('VIX', '1d', { from: '2026-07-09' })],
  ['apple price history max', 1, bars('AAPL', '1mo', { range: 'max' })],
  ['GE in the 1990s', 1, bars('GE', '1w', { from: '1990-01-01', to: '1999-12-31' })],
  ['apple 2015', 1, bars('AAPL', '1d', { from: '2015-01-01', to: '2015-12-31' })],

  ['inflation', 1, series('US.CPI', { units: 'yoy', range: '5y' })],
  ['What was inflation last year?', 1, series('US.CPI', { units: 'yoy', ...lastYear })],
  ['us inflation since 2020', 1, series('US.CPI', { units: 'yoy', from: '2020-01-01' })],
  ['inflation rate in the 1970s', 1, series('US.CPI', { units: 'yoy', from: '1970-01-01', to: '1979-12-31' })],
  ['CPI', 1, series('US.CPI', { range: '5y' })],
  ['10 year treasury yield', 1, series('US.RATE10Y', { range: '5y' })],
  ['what is the 2 year treasury yield', 1, series('US.TREASURY.2Y', { range: '1y' })],
  ['30-year bond yield over 5 years', 1, series('US.TREASURY.30Y', { range: '5y' })],
  ['oil price', 1, series('OIL.WTI', { range: '1y' })],
  ['price of brent', 1, series('OIL.BRENT', { range: '1y' })],
  ['oil since 2022', 1, series('OIL.WTI', { from: '2022-01-01' })],
  ['gold last 10 years', 1, series('GOLD.USD', { range: '10y' })],
  ['gold price on 2020-03-15', 1, series('GOLD.USD', { from: '2019-03-15', to: '2020-03-15' })],
  ['natural gas prices 2022', 1, series('GAS.HENRYHUB', { from: '2022-01-01', to: '2022-12-31' })],
  ['nonfarm payrolls', 1, series('US.JOBS.NONFARM', { range: '5y' })],
  ['shiller pe ratio', 1, series('US.SHILLER.CAPE', { range: '5y' })],
  ['unemployment in finance in 2009', 1, series('US.UNEMPLOYMENT.FINANCE', { from: '2009-01-01', to: '2009-12-31' })],
  ['quarterly gold prices since 2010', 1, series('GOLD.USD', { from: '2010-01-01', frequency: 'quarterly' })],

  ['EUR to USD', 1, convert('1', 'EUR', 'USD')],
  ['convert 100 EUR to USD', 1, convert('100', 'EUR', 'USD')],
  ['how much is 250 euros in dollars?', 1, convert('250', 'EUR', 'USD')],
  ['eurusd', 1, convert('1', 'EUR', 'USD')],
  ['exchange rate dollar yen', 1, convert('1', 'USD', 'JPY')],
  ['how many yen is 1 dollar', 1, convert('1', 'USD', 'JPY')],
  ['how many dollars in a euro', 1, convert('1', 'EUR', 'USD')],
  ['$50 in pounds', 1, convert('50', 'USD', 'GBP')],
  ['convert 20 GBP to EUR on 2020-03-02', 1, convert('20', 'GBP', 'EUR', { date: '2020-03-02' })],

  ['apple quarterly revenue', 3, statements('AAPL', { fields: ['revenue'], period: 'quarterly' })],
  ['apple revenue', 3, statements('AAPL', { fields: ['revenue'] })],
  ['financials of IBM', 3, statements('IBM', { statement: 'income' })],
  ['IBM balance sheet', 3, statements('IBM', { statement: 'balance' })],
  ['microsoft cash flow statement', 3, statements('MSFT', { statement: 'cash' })],
  ['apple net income 2015', 3, statements('AAPL', { fields: ['net_income'], to: '2015-12-31', limit: 1 })],
  ['IBM revenue last 3 years', 3, statements('IBM', { fields: ['revenue'], limit: 3 })],
  ['nvidia eps', 3, statements('NVDA', { fields: ['eps'] })],
  ['apple quarterly results', 3, statements('AAPL', { statement: 'income', period: 'quarterly' })],
  ['amazon revenue and net income', 3, statements('AMZN', { fields: ['net_income', 'revenue'] })],
  ['total assets of Boeing', 3, statements('BA', { fields: ['total_assets'] })],
  ['annual revenue of walmart', 3, statements('WMT', { fields: ['revenue'] })],
  [
    'apple and microsoft revenue',
    6,
    statements('AAPL', { fields: ['revenue'] }),
    statements('MSFT', { fields: ['revenue'] }),
  ],
  ['exxon gross profit', 3, statements('XOM', { fields: ['gross_profit'] })],
  ["what is coca-cola's profit?", 3, statements('KO', { fields: ['net_income'] })],
  // As many as there are in these years: a higher limit would bring older ones.
  ['IBM revenue 2014 to 2020', 3, statements('IBM', { fields: ['revenue'], to: '2020-12-31', limit: 2 })],
  ['yahoo revenue since 2014', 3, statements('YHOO', { fields: ['revenue'], limit: 2 })],
  ['apple revenue last year', 3, statements('AAPL', { fields: ['revenue'], to: '2025-12-31', limit: 1 })],
  ['nvidia revenue 2020 to 2023', 3, statements('NVDA', { fields: ['revenue'], to: '2023-12-31', limit: 4 })],
  ['dividends of MSFT', 1, { get_corporate_actions: { symbol: 'MSFT', type: 'dividend' } }],
  ['apple stock splits', 1, { get_corporate_actions: { symbol: 'AAPL', type: 'split' } }],
  [
    'microsoft dividends since 2010',
    1,
    { get_corporate_actions: { symbol: 'MSFT', type: 'dividend', from: '2010-01-01' } },
  ],
  ['tell me about general electric', 0, { get_company: { symbol: 'GE' } }],
  ['who is Nvidia', 0, { get_company: { symbol: 'NVDA' } }],

  ['compare AAPL and MSFT', 1, { summarize_prices: { symbols: ['AAPL', 'MSFT'] } }],
  ['apple vs microsoft over 5 years', 1, { summarize_prices: { symbols: ['AAPL', 'MSFT'], range: '5y' } }],
  [
    'WTI vs Brent since 2020',
    2,
    series('OIL.WTI', { from: '2020-01-01', frequency: 'quarterly' }),
    series('OIL.BRENT', { from: '2020-01-01', frequency: 'quarterly' }),
  ],
  ['top companies in Energy', 5, { screen_stocks: { filters: energy, sort: '-revenue', limit: 10 } }],
  ['largest 5 tech companies by revenue', 5, { screen_stocks: { filters: technology, sort: '-revenue', limit: 5 } }],
  // The server refuses it and names AAPL, for free.
  ['price of APPL', 0, quote('APPL')],
]

test.each(understood)('%s (%i credits)', async (question, credits, ...calls) => {
  const made = await plan(question)
  expect({ calls: made.calls.map((one) => ({ [one.tool]: one.arguments })), leftOut: made.leftOut }).toEqual({
    calls,
    leftOut: [],
  })
  const before = await spent()
  for (const one of made.calls) await run(one.tool, one.arguments)
  expect((await spent()) - before).toBe(credits)
})

/** Nothing is called: words are left over, which the person must leave out first. */
test.each<[question: string, leftOut: string[], instead: string, credits?: object]>([
  ['apple news', ['news'], 'apple', quote('AAPL')],
  ['should I buy apple?', ['should', 'buy'], 'I apple?', quote('AAPL')],
  ['apple price tomorrow', ['tomorrow'], 'apple price', quote('AAPL')],
  ['apple quarterly', ['quarterly'], 'apple', quote('AAPL')],
  ['apple volatility', ['volatility'], 'apple', quote('AAPL')],
  ['AAPL RSI', ['RSI'], 'AAPL', quote('AAPL')],
  ['inflation in germany', ['germany'], 'inflation in', series('US.CPI', { units: 'yoy', range: '5y' })],
  ['gold in euros', ['euros'], 'gold in', series('GOLD.USD', { range: '5y' })],
  ['EUR to USD since 2020', ['2020', 'since'], 'EUR to USD', convert('1', 'EUR', 'USD')],
  [
    'apple Q1 2015 revenue',
    ['Q1'],
    'apple 2015 revenue',
    statements('AAPL', { fields: ['revenue'], to: '2015-12-31', limit: 1 }),
  ],
  ['apple revenue and dividends', ['dividends'], 'apple revenue and', statements('AAPL', { fields: ['revenue'] })],
  ['weekly apple revenue', ['weekly'], 'apple revenue', statements('AAPL', { fields: ['revenue'] })],
  [
    'compare gold and the meaning of life',
    ['meaning', 'life'],
    'compare gold and the of',
    series('GOLD.USD', { range: '5y' }),
  ],
  ['AAPL and XYZQ price', ['XYZQ'], 'AAPL and price', quote('AAPL')],
  [
    'oil price in 2021 and in 2022',
    ['in 2022'],
    'oil price in 2021 and',
    series('OIL.WTI', { from: '2021-01-01', to: '2021-12-31' }),
  ],
])('%s: nothing is called before the person agrees', async (question, leftOut, instead, call) => {
  const made = await plan(question)
  expect(made.calls).toEqual([])
  expect(made.instead.map((one) => ({ [one.tool]: one.arguments }))).toEqual([call])
  expect(made.leftOut.toSorted()).toEqual(leftOut.toSorted())
  expect(withoutWords(question, made.leftOut)).toBe(instead)
  const agreed = await plan(instead)
  expect(agreed).toMatchObject({ leftOut: [], calls: [{}] })
  expect(agreed.calls.map((one) => ({ [one.tool]: one.arguments }))).toEqual([call])
})

test.each([
  'aple price',
  'price of tesla',
  'ethereum price',
  'unemployment rate',
  'interest rate',
  'fed funds rate',
  'mortgage rates',
  'gdp of germany',
  'dollar',
  'biggest companies by market cap',
  'top companies in Narnia',
  'who won the world cup',
  'hello',
  'hello there',
  'asdf qwer',
  'what is the meaning of life?',
  'add 2 + 3 + 4',
  'add two and three',
  'I think that we were all born after the year 1990',
  'how low can it go',
  'oil in 1970',
  'oil yesterday',
  'best performing stocks',
  'gbp',
  'AAPL this year',
  'IBM revenue last year',
  'yahoo revenue last year',
  'yahoo quarterly revenue last year',
  'apple revenue this year',
  'yahoo and apple revenue last year',
  '?!',
])('%s: nothing to call', async (question) => {
  expect((await plan(question)).calls).toEqual([])
})

test('a typo and an ambiguous name are answered with what they may have meant', async () => {
  expect((await plan('aple price')).near.map(({ symbol }) => symbol)).toEqual(['AAPL'])
  expect((await plan('unemployment rate')).near.length).toBe(3)
  expect((await plan('AAPL this year')).outside).toMatchObject({ symbol: 'AAPL', last: '2018-05-11' })
  expect((await plan('yahoo revenue last year')).outside).toMatchObject({ symbol: 'YHOO', last: '2015-12-31' })
})
