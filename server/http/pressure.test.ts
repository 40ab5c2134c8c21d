import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPressure, type Load, type Pressure } from './pressure.ts'

const MB = 1024 * 1024
let load: Load
let pressure: Pressure
beforeEach(() => {
  vi.useFakeTimers()
  load = { memoryBytes: 0, eventLoopDelayMs: 0 }
  pressure = createPressure(
    { SHED_MEMORY_MB: 1_000, SHED_EVENT_LOOP_MS: 100, SHED_UNSENT_MB: 10 },
    pino({ level: 'silent' }),
    () => load,
  )
})
afterEach(() => {
  pressure.close()
  vi.useRealTimers()
})

const ask: Record<'export' | 'large' | 'call', [rows: number, streams: boolean]> = {
  export: [500_000, true],
  large: [10_000, false],
  call: [10, false],
}
const refused = (cost: keyof typeof ask): boolean => {
  try {
    pressure.enter(1, ...ask[cost])()
    return false
  } catch (error) {
    expect(error).toMatchObject({ status: 503, code: 'overloaded', detail: { retryAfterSeconds: 5 } })
    return true
  }
}
const allRefused = () => (['export', 'large', 'call'] as const).filter(refused)
const under = (next: Partial<Load>): void => {
  load = { memoryBytes: 0, eventLoopDelayMs: 0, ...next }
  vi.advanceTimersByTime(2_000)
}

test.each<[Partial<Load>, string[]]>([
  [{ memoryBytes: 999 * MB }, []],
  [{ memoryBytes: 1_001 * MB }, ['export']],
  [{ memoryBytes: 1_151 * MB }, ['export', 'large']],
  [{ memoryBytes: 1_301 * MB }, ['export', 'large', 'call']],
  [{ eventLoopDelayMs: 99 }, []],
  [{ eventLoopDelayMs: 101 }, ['export']],
  [{ eventLoopDelayMs: 116 }, ['export', 'large']],
  [{ eventLoopDelayMs: 131 }, ['export', 'large', 'call']],
])('under %j these are refused: %j', (next, expected) => {
  under(next)
  expect(allRefused()).toEqual(expected)
  const shed = pressure.shed()
  expect(Object.values(shed).reduce((sum, count) => sum + count, 0)).toBe(expected.length)
  under({})
  expect(allRefused()).toEqual([])
})

test('what waits for slow clients is limited: half for one account, and calls that are not large go on', () => {
  const kept = pressure.keep(1, 4.5 * MB)
  expect(allRefused()).toEqual(['large'])
  // Another account still may.
  const leave = pressure.enter(2, 10_000, false)
  leave()
  const keptToo = pressure.keep(2, 4.9 * MB)
  expect(() => pressure.enter(3, 10_000, false)).toThrow('The server is busy.')
  kept()
  kept()
  expect(pressure.unsentBytes()).toBe(4.9 * MB)
  expect(allRefused()).toEqual([])
  keptToo()
  expect(pressure.unsentBytes()).toBe(0)
})

test('large calls that still run count with what they may return', () => {
  const leaving = [1, 2, 3, 4, 5].map(() => pressure.enter(1, 10_000, false))
  expect(allRefused()).toEqual(['large'])
  for (const leave of leaving) leave()
  expect(allRefused()).toEqual([])
})

test('by default, a fraction of what the machine has is the limit, so an ordinary process refuses nothing', () => {
  pressure.close()
  pressure = createPressure(
    { SHED_MEMORY_MB: undefined, SHED_EVENT_LOOP_MS: 200, SHED_UNSENT_MB: 64 },
    pino({ level: 'silent' }),
    () => ({ memoryBytes: process.memoryUsage.rss(), eventLoopDelayMs: 0 }),
  )
  vi.advanceTimersByTime(1_000)
  expect(allRefused()).toEqual([])
})
