import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { personalStorage } from '../../../lib/personal-storage.ts'
import type { LogEntry } from './log-entry.ts'
import { saveCalls, savedCalls } from './saved-calls.ts'

beforeEach(() => {
  class Kept {
    getItem(key: string): string | null {
      return Object.hasOwn(this, key) ? String(Reflect.get(this, key)) : null
    }
    setItem(key: string, value: string): void {
      Reflect.set(this, key, value)
    }
    removeItem(key: string): void {
      Reflect.deleteProperty(this, key)
    }
  }
  vi.stubGlobal('localStorage', new Kept())
})
afterEach(() => vi.unstubAllGlobals())

const entry = (id: string, more: Partial<LogEntry> = {}): LogEntry => ({
  id,
  at: new Date('2026-11-21T10:00:00Z'),
  serverName: 'finmeter',
  label: 'add',
  tool: 'add',
  arguments: { a: 1 },
  result: { content: [{ type: 'text', text: 'private' }] },
  credits: 2,
  call: { durationMs: 5, tokens: 7, protocolVersion: '2026-07-28', exchanges: [{ request: 'wire' } as never] },
  ...more,
})

test('saved calls have no results or messages and belong to one user', () => {
  saveCalls('one', [entry('x'), entry('read', { tool: undefined })])
  expect(JSON.stringify(localStorage)).not.toMatch(/private|wire/)
  const { result: _, ...kept } = entry('x')
  expect(savedCalls('one')).toEqual([{ ...kept, earlier: true, call: { ...kept.call, exchanges: [] } }])
  expect(savedCalls('two')).toEqual([])
})

test('fifty calls are saved, none with huge arguments, and none after sign-out', () => {
  saveCalls('one', [
    entry('big', { arguments: 'x'.repeat(5_000) }),
    ...Array.from({ length: 80 }, (_, n) => entry(`${n}`)),
  ])
  expect(savedCalls('one').map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`))
  personalStorage.forget()
  expect(savedCalls('one')).toEqual([])
})

test.each(['', '{', 'null', '{"id":1}', '[null]', '[{"id":"x","at":"never"}]', '[{"id":"x","at":0,"tool":{}}]'])(
  'other stored values are ignored: %s',
  (text) => {
    localStorage.setItem('finmeter.personal.one.playground-calls', text)
    expect(savedCalls('one')).toEqual([])
  },
)
