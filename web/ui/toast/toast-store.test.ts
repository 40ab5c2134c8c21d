import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dismissToast, openForMs, removalDelayMs, swipeThresholdPx, toast, toastStore } from './toast-store.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

test('the numbers are 5000 ms open, 50 px swipe, 1,000,000 ms until removal', () => {
  expect([openForMs, swipeThresholdPx, removalDelayMs]).toEqual([5000, 50, 1_000_000])
})

test('only one toast is kept: the next replaces it', () => {
  toast({ title: 'first' })
  toast({ title: 'second' })
  expect(toastStore.read()?.title).toBe('second')
})

test('a dismissed toast is closed at once and removed after 1,000,000 ms', () => {
  const id = toast({ title: 'bye' })
  dismissToast(id)
  expect(toastStore.read()).toMatchObject({ title: 'bye', open: false })
  vi.advanceTimersByTime(999_999)
  expect(toastStore.read()).not.toBeNull()
  vi.advanceTimersByTime(1)
  expect(toastStore.read()).toBeNull()
})

test('removing an old toast keeps the new one', () => {
  dismissToast(toast({ title: 'old' }))
  toast({ title: 'new' })
  vi.advanceTimersByTime(2_000_000)
  expect(toastStore.read()).toMatchObject({ title: 'new', open: true })
})
