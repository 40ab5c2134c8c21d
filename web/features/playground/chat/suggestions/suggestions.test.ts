import { expect, test } from 'vitest'
import type { PlaygroundTool, ToolResult } from '#contract/playground.ts'
import { commandList } from '../language/command-list.ts'
import { parseCommand } from '../language/parse-command.ts'
import { bundledDatasets, followUps, nearest, priceOf, publishedSymbols, starters } from './suggestions.ts'

const tools = [
  ...['add', 'echo', 'timestamp', 'search_symbols', 'get_bars', 'get_quote', 'get_company', 'get_economic_series'],
  ...['get_financials', 'get_corporate_actions', 'screen_stocks', 'convert_currency', 'summarize_prices'],
].map((name): PlaygroundTool => ({ name, inputSchema: {}, serverName: 'finmeter', tokens: 1 }))
const all = [...bundledDatasets]
const lines = (list: { line: string }[]) => list.map(({ line }) => line)
const result = (columns: string[] = [], rows: unknown[][] = []): ToolResult => ({
  content: [],
  structuredContent: { columns, rows, meta: {} },
})

test('current data come first, and samples are marked', () => {
  const found = starters(all, [], tools)
  expect(found[0]).toMatchObject({ line: 'oil since 2022' })
  expect(found.some(({ line, sample }) => /AAPL|MSFT/.test(line) && !sample)).toBe(false)
  const symbols = publishedSymbols(all, [])
  expect(symbols[0]).toEqual({ symbol: 'OIL.WTI' })
  expect(symbols.filter(({ sample }) => sample).map(({ symbol }) => symbol)).toEqual(['VIX', 'AAPL', 'MSFT'])
})

test('only what is published is suggested; the operator’s own data come first', () => {
  expect(lines(starters(['us-cpi'], [], tools))).toEqual(['inflation'])
  expect(lines(starters(['us-cpi', 'acme-prices'], [{ symbol: 'ACME' }], tools))).toEqual([
    'chart ACME over 1 year',
    'inflation',
  ])
  expect(publishedSymbols(['us-cpi', 'acme-prices'], [{ symbol: 'ACME' }])).toEqual([
    { symbol: 'ACME' },
    { symbol: 'US.CPI' },
  ])
  expect(starters([], [], tools)).toEqual([])
})

const answered: [string, Record<string, unknown>, ToolResult][] = [
  ['get_quote', { symbols: ['VIX'] }, result(['symbol'], [['VIX']])],
  ['get_bars', { symbol: 'VIX' }, result(['date', 'close'], [['2026-01-02', 15]])],
  ['get_economic_series', { series_id: 'OIL.WTI', range: '1y' }, result(['date', 'value'], [['2026-01-02', 70]])],
  [
    'search_symbols',
    {},
    result(
      ['symbol', 'type', 'held'],
      [
        ['US.CPI', 'series', 'series'],
        ['IBM', 'stock', 'statements'],
      ],
    ),
  ],
  ['convert_currency', { from: 'EUR', to: 'USD' }, result()],
  ['summarize_prices', {}, result(['symbol'], [['AAPL'], ['MSFT']])],
  ['screen_stocks', {}, result(['symbol'], [['XOM']])],
  ['get_company', { symbol: 'AAPL' }, result()],
]

test.each(answered)('what follows %s is understood', (tool, args, given) => {
  const found = followUps({ tool, arguments: args }, given)
  expect(found.length).toBeGreaterThan(0)
  for (const { line, tool: next } of found)
    if (next === undefined) expect(line).toMatch(/^compare \S+ with $/)
    else expect([line, parseCommand(line).kind]).not.toEqual([line, 'plain'])
})

test('the list of commands names the symbols of this server, and leaves out examples without data', () => {
  const some = commandList([{ symbol: 'ACME' }, { symbol: 'US.CPI' }], ['acme', 'us-cpi'], tools).map(
    ({ command }) => command,
  )
  expect(some).toContain('price of ACME')
  expect(some).toContain('compare ACME and US.CPI over 5 years')
  expect(some.filter((one) => /MSFT|AAPL|IBM|EUR/.test(one))).toEqual([])
  expect(commandList([], null, tools).map(({ command }) => command)).toContain('convert 100 EUR to USD')
})

test('every starter is understood', () => {
  for (const { line } of starters(all, [{ symbol: 'ACME' }], tools))
    expect([line, parseCommand(line).kind]).not.toEqual([line, 'plain'])
})

test('a refusal is followed by the symbols that it names; a comparison offers other periods', () => {
  const refused = (text: string) => ({ content: [{ type: 'text', text }], isError: true })
  const asked = { tool: 'get_quote', arguments: { symbols: ['APPL'] } }
  expect(lines(followUps(asked, refused('APPL is not in the catalog. Did you mean AAPL, GE?')))).toEqual([
    'price of AAPL',
    'price of GE',
  ])
  expect(followUps(asked, refused('Too many requests.'))).toEqual([])
  const more = followUps({ tool: 'get_bars', arguments: { symbol: 'A' } }, result(), ['A', 'B'])
  expect(lines(more)).toEqual(['chart A and B over 1 year', 'chart A and B over 10 years'])
})

test('the nearest suggestions share words with the message', () => {
  expect(lines(nearest('give me crude oil please', starters(all, [], tools)))[0]).toMatch(/^oil|OIL/)
  expect(lines(nearest('companies with much energy', starters(all, [], tools)))[0]).toBe('top companies in Energy')
  expect(nearest('xyzzy', starters(all, [], tools))).toHaveLength(3)
})

test('the price is what the tool states, for all calls', () => {
  const fixed = { kind: 'fixed', credits: 1 }
  expect(priceOf({ line: '', tool: 'x' }, fixed)).toBe('1 credit')
  expect(priceOf({ line: '', tool: 'x', calls: 2 }, fixed)).toBe('2 credits')
  expect(priceOf({ line: '', tool: 'x' }, { kind: 'rows', credits: 1, perRows: 20 })).toBe('from 1 credit')
  expect(priceOf({ line: '', tool: 'x' }, { kind: 'fixed', credits: 0 })).toBe('free')
  expect(priceOf({ line: '', tool: 'x' }, undefined)).toBeNull()
  expect(priceOf({ line: '' }, fixed)).toBeNull()
})
