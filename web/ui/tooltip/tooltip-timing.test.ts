import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tooltipTiming } from './tooltip-timing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const setup = () => {
  const shown: (string | null)[] = []
  return { shown, timing: tooltipTiming<string>((target) => shown.push(target)) }
}

test('opens after 700 ms of rest, not before', () => {
  const { shown, timing } = setup()
  timing.enter('a')
  vi.advanceTimersByTime(699)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual(['a'])
})

test('the next one opens at once within 300 ms after the last closed, then waits again', () => {
  const { shown, timing } = setup()
  timing.focus('a')
  timing.dismiss()
  vi.advanceTimersByTime(299)
  timing.enter('b')
  expect(shown).toEqual(['a', null, 'b'])
  timing.dismiss()
  vi.advanceTimersByTime(301)
  timing.enter('c')
  expect(shown.at(-1)).toBeNull()
})

test('leaving before the delay shows nothing; coming back to an open one keeps it', () => {
  const { shown, timing } = setup()
  timing.enter('a')
  vi.advanceTimersByTime(300)
  timing.leave()
  vi.advanceTimersByTime(2000)
  expect(shown).toEqual([])
  timing.focus('a')
  timing.leave()
  timing.enter('a')
  vi.advanceTimersByTime(2000)
  expect(shown).toEqual(['a'])
})

test('a control that loses the focus closes its own tooltip, and not one that the pointer waits for', () => {
  const { shown, timing } = setup()
  timing.enter('a')
  timing.blur('b')
  vi.advanceTimersByTime(700)
  expect(shown).toEqual(['a'])
  timing.blur('a')
  vi.advanceTimersByTime(2000)
  expect(shown).toEqual(['a', null])
})
