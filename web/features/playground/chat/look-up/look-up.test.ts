import { expect, test, vi } from 'vitest'
import { createLookUp } from './look-up.ts'

const columns = ['symbol', 'name', 'type', 'exchange', 'currency', 'first_date', 'last_date', 'held', 'score']
const oil = [
  ['OIL.WTI', 'Crude oil, West Texas', 'series', null, null, '1986-01-02', '2026-08-18', 'series', 0.8],
  ['OIL.BRENT', 'Crude oil, Europe Brent', 'series', null, null, '1987-05-20', '2026-08-18', 'series', 0.8],
]
const symbols = async (found: Promise<{ symbol: string }[]>) => (await found).map(({ symbol }) => symbol)

test('each query is asked once, and never what a complete response covers', async () => {
  const ask = vi.fn(async () => ({ columns, rows: oil, truncated: false }))
  const { search } = createLookUp(ask)
  expect(await symbols(search('OIL'))).toEqual(['OIL.WTI', 'OIL.BRENT'])
  expect(await symbols(search(' oil '))).toEqual(['OIL.WTI', 'OIL.BRENT'])
  expect(await symbols(search('oil.b'))).toEqual(['OIL.BRENT'])
  expect(ask).toHaveBeenCalledTimes(1)
})

test('a truncated response, or a name that may be an alias, is asked again', async () => {
  const ask = vi.fn(async () => ({ columns, rows: oil, truncated: true }))
  const { search } = createLookUp(ask)
  await search('oi')
  await search('oil')
  expect(ask).toHaveBeenCalledTimes(2)
  const complete = vi.fn(async () => ({ columns, rows: oil, truncated: false }))
  const other = createLookUp(complete)
  await other.search('oi')
  await other.search('oilx')
  expect(complete.mock.calls).toEqual([['oi'], ['oilx']])
})

test('a failed search is tried again', async () => {
  const ask = vi
    .fn()
    .mockRejectedValueOnce(new Error('down'))
    .mockResolvedValue({ columns, rows: oil, truncated: false })
  const { search } = createLookUp(ask)
  await expect(search('oil')).rejects.toThrow('down')
  expect(await search('oil')).toHaveLength(2)
})
