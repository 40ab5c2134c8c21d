import { expect, test, vi } from 'vitest'
import { createExportQueue } from './export-queue.ts'

const queue = (most: number, mostOfOne: number) =>
  createExportQueue({ EXPORTS_AT_ONCE: most, EXPORTS_PER_ACCOUNT: mostOfOne, EXPORT_WAIT_SECONDS: 30 })
const here = () => false

test('one account has its limit, and all together have theirs', async () => {
  const { enter, figures } = queue(3, 2)
  await Promise.all([enter(1, here), enter(1, here)])
  void enter(1, here)
  expect(figures()).toEqual({ running: 2, waiting: 1 })
  await enter(2, here)
  void enter(2, here)
  expect(figures()).toEqual({ running: 3, waiting: 2 })
})

test('accounts take turns, each in the order of its requests', async () => {
  const { enter } = queue(1, 1)
  const first = await enter(9, here)
  const started: string[] = []
  const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map(async (name) => {
    const leave = await enter(name.charCodeAt(0), here)
    started.push(name)
    leave?.()
  })
  first?.()
  await Promise.all(asked)
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('leaving twice frees one place', async () => {
  const { enter, figures } = queue(1, 1)
  const leave = await enter(1, here)
  leave?.()
  leave?.()
  await enter(1, here)
  void enter(2, here)
  expect(figures()).toEqual({ running: 1, waiting: 1 })
})

test('a client that has gone does not start, and the next one does', async () => {
  const { enter, figures } = queue(1, 1)
  const leave = await enter(1, here)
  const gone = enter(2, () => true)
  const next = enter(3, here)
  leave?.()
  expect(await gone).toBeNull()
  expect(await next).not.toBeNull()
  expect(figures()).toEqual({ running: 1, waiting: 0 })
})

test('who waits too long, or comes when too many wait, does not start', async () => {
  vi.useFakeTimers()
  try {
    const { enter, figures } = queue(1, 1)
    await enter(1, here)
    const waiting = Array.from({ length: 200 }, (_, at) => enter(at % 7, here))
    expect(await enter(8, here)).toBeNull()
    vi.advanceTimersByTime(29_999)
    expect(figures()).toEqual({ running: 1, waiting: 200 })
    vi.advanceTimersByTime(1)
    expect(await Promise.all(waiting)).toEqual(Array(200).fill(null))
    expect(figures()).toEqual({ running: 1, waiting: 0 })
  } finally {
    vi.useRealTimers()
  }
})
