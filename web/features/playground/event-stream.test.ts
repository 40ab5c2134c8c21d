import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEventStream } from './event-stream.ts'

class FakeSource {
  static all: FakeSource[] = []
  url: string
  closed = false
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onerror: (() => void) | null = null
  constructor(url: string) {
    this.url = url
    FakeSource.all.push(this)
  }
  close() {
    this.closed = true
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  FakeSource.all = []
})
afterEach(() => vi.useRealTimers())

function start(ticket = async () => 'T&1') {
  const seen = { statuses: [] as string[], events: [] as unknown[], failures: [] as unknown[] }
  const stream = createEventStream({
    ticket,
    open: (url) => new FakeSource(url) as unknown as EventSource,
    onEvent: (event) => seen.events.push(event),
    onStatus: (status) => seen.statuses.push(status),
    onFailure: (error) => seen.failures.push(error),
  })
  stream.restart()
  return { stream, ...seen }
}
const last = () => FakeSource.all.at(-1)!

test('opens with a ticket in the token parameter, and reports its states', async () => {
  const { stream, statuses, events } = start()
  await vi.advanceTimersByTimeAsync(0)
  expect(last().url).toBe('/api/playground/stream?token=T%261')
  last().onopen!()
  last().onmessage!({ data: '{"type":"error","message":"broken"}' })
  last().onmessage!({ data: 'no json' })
  last().onmessage!({ data: '5' })
  expect(events).toEqual([{ type: 'error', message: 'broken', data: {}, serverName: '' }])
  stream.close()
  expect(statuses).toEqual(['Connecting', 'Connected', 'Disconnected'])
  expect(last().closed).toBe(true)
})

test('after an error it reopens 1000 ms later, and reports the failure once until it is open', async () => {
  const { statuses, failures } = start()
  await vi.advanceTimersByTimeAsync(0)
  last().onerror!()
  expect([FakeSource.all[0]!.closed, failures.length, statuses.at(-1)]).toEqual([true, 1, 'Error'])
  await vi.advanceTimersByTimeAsync(999)
  expect(FakeSource.all).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(FakeSource.all).toHaveLength(2)
  last().onerror!()
  await vi.advanceTimersByTimeAsync(1000)
  expect([FakeSource.all.length, failures.length]).toEqual([3, 1])
  last().onopen!()
  last().onerror!()
  expect(failures.length).toBe(2)
})

test('a restart closes the stream at once and opens it after the delay; a refused ticket is a failure', async () => {
  const { stream } = start()
  await vi.advanceTimersByTimeAsync(0)
  stream.restart(1000)
  expect(last().closed).toBe(true)
  await vi.advanceTimersByTimeAsync(999)
  expect(FakeSource.all).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(FakeSource.all).toHaveLength(2)

  const refused = start(() => Promise.reject(new Error('no')))
  await vi.advanceTimersByTimeAsync(0)
  expect(refused.failures).toEqual([new Error('no')])
  refused.stream.close()
})

test('a late error of a stream that was replaced does not end the new one', async () => {
  const { stream, statuses, failures } = start()
  await vi.advanceTimersByTimeAsync(0)
  const old = last()
  stream.restart()
  await vi.advanceTimersByTimeAsync(0)
  last().onopen!()
  old.onerror!()
  expect([last() === old, last().closed, statuses.at(-1), failures]).toEqual([false, false, 'Connected', []])
})
