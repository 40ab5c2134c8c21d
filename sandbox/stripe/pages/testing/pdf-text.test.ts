import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { textOf } from './pdf-text.ts'

test('text is read whatever byte its stream ends with', () => {
  const shown = (text: string) => `[<${Buffer.from(text).toString('hex')}>] TJ`
  const texts = Array.from({ length: 256 }, (_, at) => 'a'.repeat(at))
  const text = texts.find((one) => deflateSync(shown(one)).at(-1) === 0x0d)!
  const pdf = Buffer.concat([Buffer.from('stream\n'), deflateSync(shown(text)), Buffer.from('\nendstream\n')])
  expect(textOf(pdf)).toBe(text)
})
