import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { logConsole } from './log-console.ts'

const own = { ...console }
afterEach(() => Object.assign(console, own))

test('library output becomes an escaped log line', () => {
  const lines: string[] = []
  logConsole(pino({ base: undefined }, { write: (line: string) => void lines.push(line) }))
  console.warn("excluding tool '%s'", 'evil\u001b]0;owned\u0007\n{"level":30,"msg":"all is well"}')
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toMatch(/\p{Cc}/u)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 40,
    text: 'excluding tool \'evil\u001b]0;owned\u0007\n{"level":30,"msg":"all is well"}\'',
  })
})
