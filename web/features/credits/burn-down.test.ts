import { expect, test } from 'vitest'
import { creditSteps, daysToCome, periodDays, toCsv } from './burn-down.ts'

const day = (date: string, remaining = 0) => ({ date, remaining, spent: 1 })
const end = Date.UTC(2026, 11, 5, 13) / 1000

test('a monthly period starts one month before its end', () => {
  const days = ['2026-11-04', '2026-11-05', '2026-11-06', '2026-11-21'].map((date) => day(date))
  expect(periodDays(days, end, 'month').map(({ date }) => date)).toEqual(['2026-11-05', '2026-11-06', '2026-11-21'])
})

test('an annual plan shows its last 30 days', () => {
  const days = Array.from({ length: 32 }, (_, index) => day(`2026-10-${index + 1}`))
  expect(periodDays(days, end, 'year')).toHaveLength(30)
})

test('days before the first credits are left out, and an empty history shows only today', () => {
  const none = { remaining: 0, spent: 0 }
  const days = [
    { date: '2026-11-05', ...none },
    { date: '2026-11-06', ...none },
    { date: '2026-11-07', remaining: 5, spent: 0 },
    { date: '2026-11-08', ...none },
  ]
  expect(periodDays(days, end, 'month').map(({ date }) => date)).toEqual(['2026-11-07', '2026-11-08'])
  expect(periodDays(days.slice(0, 2), end, 'month').map(({ date }) => date)).toEqual(['2026-11-06'])
})

test('the remaining days reach the end of the period', () => {
  expect(daysToCome([day('2026-12-01')], end, 'month')).toBe(4)
  expect(daysToCome([day('2026-12-05')], end, 'month')).toBe(0)
  expect(daysToCome([day('2026-12-09')], end, 'month')).toBe(0)
  expect(daysToCome([], end, 'month')).toBe(0)
})

test('credits that come in are a step, and credits that go a slope', () => {
  const days = [
    { date: '2026-11-05', remaining: 900, spent: 100 },
    { date: '2026-11-06', remaining: 850, spent: 50 },
    { date: '2026-11-07', remaining: 10_800, spent: 50 },
  ]
  expect(creditSteps(days)).toEqual([
    { at: 0, credits: 1000 },
    { at: 1, credits: 900 },
    { at: 2, credits: 850 },
    { at: 2, credits: 850 },
    { at: 2, credits: 10_850, added: 10_000 },
    { at: 3, credits: 10_800 },
  ])
  expect(creditSteps([])).toEqual([])
})

test('the CSV has one line per day', () =>
  expect(toCsv([day('2026-11-05', 900)])).toBe('date,credits_left,credits_spent\n2026-11-05,900,1'))
