import { expect, test } from 'vitest'
import { costOf, type MadeCall, together } from './made-call.ts'

const result = (meta?: Record<string, unknown>) => ({ content: [], ...(meta && { _meta: meta }) })

test('the cost is what the server reports, and unknown otherwise', () => {
  const meta = { 'finmeter/credits-charged': 1, 'finmeter/credits-remaining': 999, 'finmeter/receipt-id': 'r1' }
  expect(costOf(result(meta))).toEqual({ credits: 1, remaining: 999, receipts: ['r1'] })
  expect(costOf(result({ 'finmeter/credits-charged': 0, 'finmeter/credits-remaining': 'unlimited' }))).toEqual({
    credits: 0,
    remaining: 'unlimited',
    receipts: [],
  })
  expect(costOf(result({ 'finmeter/credits-charged': '1', 'finmeter/receipt-id': 5 }))).toEqual({
    credits: null,
    remaining: null,
    receipts: [],
  })
  expect(costOf(result())).toEqual({ credits: null, remaining: null, receipts: [] })
})

test('several calls cost their sum and leave what the last one left', () => {
  const made = (credits: number | null, remaining: number, id: string): MadeCall => ({
    serverName: 'finmeter',
    tool: 'get_bars',
    arguments: { symbol: id },
    credits,
    remaining,
    receipts: [`r-${id}`],
    durationMs: 2,
    entries: [id],
  })
  expect(together([made(1, 999, 'a'), made(2, 997, 'b')], ['A', 'B'])).toEqual({
    ...made(3, 997, 'a'),
    receipts: ['r-a', 'r-b'],
    durationMs: 4,
    entries: ['a', 'b'],
    compared: ['A', 'B'],
  })
  expect(together([made(1, 999, 'a'), made(null, 997, 'b')], ['A', 'B']).credits).toBeNull()
})
