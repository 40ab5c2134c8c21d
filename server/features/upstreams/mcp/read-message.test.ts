import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readMessage } from './read-message.ts'

const events = 'text/event-stream'
const pieces = (text: string, length: number): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
      Buffer.from(text.slice(at * length, (at + 1) * length)),
    ),
    { objectMode: true },
  )

test.each(['\n', '\r\n', '\r'])('events are the same however they are cut (lines end in %j)', async (line) => {
  const text = [
    ': hello',
    '',
    'event: message',
    'data: {"method":"a",',
    'data: "n":1}',
    '',
    'data: {"id":7}',
    '',
    '',
  ].join(line)
  for (let length = 1; length <= text.length; length++) {
    const before: unknown[] = []
    const answer = await readMessage(pieces(text, length), events, 7, 1_000, (message) => void before.push(message))
    expect([length, JSON.parse(answer), before]).toEqual([length, { id: 7 }, [{ method: 'a', n: 1 }]])
  }
})

test('a long event that arrives by the byte is looked at once', async () => {
  let looked = 0
  const split = RegExp.prototype[Symbol.split]
  const counting = vi.fn(function (this: RegExp, text: string, limit?: number) {
    looked += text.length
    return split.call(this, text, limit)
  })
  Object.defineProperty(RegExp.prototype, Symbol.split, { value: counting, configurable: true, writable: true })
  onTestFinished(() => {
    Object.defineProperty(RegExp.prototype, Symbol.split, { value: split, configurable: true, writable: true })
  })
  const text = `data: {"id":7,"text":"${'x'.repeat(3_000)}"}\n\n`
  await readMessage(pieces(text, 1), events, 7, 10_000)
  expect(looked).toBeGreaterThan(text.length)
  expect(looked).toBeLessThan(text.length * 10)
})
