import { describe, expect, test } from 'vitest'
import { dayOf, dayText, parseDay } from '../dates.ts'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'
import { exchanges } from './exchanges.ts'
import { closedBecause, nextSession, sessionDays, sessionOf } from './sessions.ts'

const market = await loadDemoMarket()

const exchange = (mic: string) => exchanges.find((one) => one.mic === mic)!
const iso = (ms: number) => new Date(ms).toISOString()

describe('against the sessions in the data', () => {
  test.each([
    ['SPX', 'XNYS', '1990-01-01', '2020-04-17', 7633],
    ['GE', 'XNYS', '1990-01-01', '2015-06-08', 6409],
    ['AAPL', 'XNAS', '1990-01-01', '2018-05-11', 7147],
    ['NDX', 'XNAS', '1990-01-01', '2012-06-29', 5672],
  ])('%s traded on exactly the sessions of %s', (symbol, mic, from, to, count) => {
    const [first, last] = [parseDay(from), parseDay(to)]
    const { series } = market.catalog.find(symbol)!
    const { times } = series.columns(0, series.count)
    const traded = [...times].filter((day) => day >= first && day <= last).map(dayText)
    const ours = sessionDays(exchange(mic), first, last).map(dayText)
    expect(ours.filter((day) => !traded.includes(day))).toEqual([])
    expect(traded.filter((day) => !ours.includes(day))).toEqual([])
    expect(ours.length).toBe(count)
  })

  test('minute bars of AAPL lie within the sessions', () => {
    const { series } = market.catalog.find('AAPL')!.intraday!
    const { times } = series.columns(0, series.count)
    const outside = [...times].filter((minute) => {
      const session = sessionOf(exchange('XNAS'), Math.floor(minute / 1440))
      return !session || minute * 60_000 < session.openMs || minute * 60_000 >= session.closeMs
    })
    expect(outside).toEqual([])
  })
})

describe('closures, hours and zones', () => {
  test.each([
    ['XNYS', '2001-09-12', 'Terrorist attack'],
    ['XNYS', '2012-10-29', 'Hurricane Sandy'],
    ['XNYS', '2022-06-20', 'Juneteenth'],
    ['XNYS', '2021-07-05', 'Independence Day'],
    ['XLON', '2022-09-19', 'State funeral of Queen Elizabeth II'],
    ['XLON', '2020-05-08', 'Early May Bank Holiday'],
    ['XLON', '2021-12-28', 'Boxing Day'],
    ['XETR', '2024-05-01', 'Labour Day'],
    ['XETR', '2025-12-24', 'Christmas Eve'],
    ['XTKS', '2019-05-01', 'Enthronement'],
    ['XTKS', '2021-07-23', 'Sports Day'],
    ['XTKS', '2024-02-12', 'National Foundation Day (substitute)'],
    ['XTKS', '2026-09-22', "Citizens' holiday"],
    ['XTKS', '2024-05-06', "Children's Day (substitute)"],
  ])('%s is closed on %s: %s', (mic, date, why) => {
    expect(closedBecause(exchange(mic), parseDay(date))).toContain(why.split(' (')[0])
  })

  test.each([
    ['XNYS', '2021-12-31'],
    ['XNYS', '2018-12-04'],
    ['XLON', '2023-05-09'],
    ['XETR', '2024-10-03'],
    ['XTKS', '2021-10-11'],
  ])('%s opens on %s', (mic, date) => {
    expect(closedBecause(exchange(mic), parseDay(date))).toBeNull()
  })

  test.each([
    ['XNYS', '2024-03-08', '2024-03-08T14:30:00.000Z', '2024-03-08T21:00:00.000Z', false],
    ['XNYS', '2024-03-11', '2024-03-11T13:30:00.000Z', '2024-03-11T20:00:00.000Z', false],
    ['XNYS', '2019-11-29', '2019-11-29T14:30:00.000Z', '2019-11-29T18:00:00.000Z', true],
    ['XNYS', '2024-07-03', '2024-07-03T13:30:00.000Z', '2024-07-03T17:00:00.000Z', true],
    ['XLON', '2024-12-24', '2024-12-24T08:00:00.000Z', '2024-12-24T12:30:00.000Z', true],
    ['XLON', '2024-07-01', '2024-07-01T07:00:00.000Z', '2024-07-01T15:30:00.000Z', false],
    ['XETR', '2024-12-30', '2024-12-30T08:00:00.000Z', '2024-12-30T13:00:00.000Z', true],
    ['XTKS', '2024-11-01', '2024-11-01T00:00:00.000Z', '2024-11-01T06:00:00.000Z', false],
    ['XTKS', '2024-11-05', '2024-11-05T00:00:00.000Z', '2024-11-05T06:30:00.000Z', false],
  ])('%s on %s is open from %s to %s', (mic, date, opens, closes, early) => {
    const session = sessionOf(exchange(mic), parseDay(date))!
    expect([iso(session.openMs), iso(session.closeMs), session.early]).toEqual([opens, closes, early])
  })

  test('the next session skips weekend and holiday', () => {
    const next = nextSession(exchange('XNYS'), Date.parse('2024-03-28T20:30:00Z'))
    expect(dayText(next.day)).toBe('2024-04-01')
    expect(next.day).toBe(dayOf(2024, 4, 1))
  })
})

describe('get_market_calendar', () => {
  const calendar = (input: Record<string, unknown>) => runMarketTool(market, 'get_market_calendar', input)

  test('knows whether it is open at an instant, and why not', async () => {
    const { rows, meta } = await calendar({ mic: 'XNYS', date: '2012-10-29', at: '2024-03-11T13:30:00Z' })
    expect(rows).toEqual([['2012-10-29', false, null, null, false, 'Hurricane Sandy']])
    expect(meta).toMatchObject({ open_now: true, next_open: '2024-03-12T13:30:00Z' })
    const before = await calendar({ mic: 'XNYS', at: '2024-03-11T09:29:00-04:00' })
    expect(before.meta).toMatchObject({ open_now: false, next_open: '2024-03-11T13:30:00Z' })
  })

  test.each([
    [{ mic: 'XNYS', date: '1950-01-03' }, /available from 1990 to 2035/],
    [{ mic: 'XNYS', from: '9999-12-30', to: '9999-12-31' }, /available from 1990/],
    [{ mic: 'XNYS', from: '2020-01-02', to: '2020-01-01' }, /is before/],
    [{ mic: 'XNYS', from: '2020-01-01', to: '2024-01-01' }, /At most 400 days/],
    [{ mic: 'XNYS', date: '2020-01-01', from: '2020-01-01' }, /date, or from and to/],
  ])('%j is refused', async (input, message) => {
    await expect(calendar(input)).rejects.toThrow(message)
  })
})
