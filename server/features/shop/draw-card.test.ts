import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawCard } from './draw-card.ts'

/** The palette's index of each pixel. */
function pixelsOf(png: Buffer): Buffer[] {
  const start = png.indexOf('IDAT')
  const whole = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)))
  return Array.from({ length: 630 }, (_, y) => whole.subarray(y * 1201 + 1, (y + 1) * 1201))
}

test('a card has the accent above, the name in ink, and the promise in gray below it', () => {
  const { type, body } = drawCard('Örtliches Wetter', 'Forecasts by the call.', '#a03a00')!
  expect(type).toBe('image/png')
  expect([body.readUInt32BE(16), body.readUInt32BE(20)]).toEqual([1200, 630])
  const rows = pixelsOf(body)
  expect(new Set(rows[0])).toEqual(new Set([32]))
  const palette = body.subarray(body.indexOf('PLTE') + 4)
  expect([...palette.subarray(96, 99)]).toEqual([0xa0, 0x3a, 0x00])
  const heightsOf = (least: number, most: number) =>
    rows.flatMap((row, y) => (row.some((one) => one >= least && one <= most) ? [y] : []))
  const [ink, gray] = [heightsOf(1, 15), heightsOf(17, 31)]
  expect(ink.length).toBeGreaterThan(50)
  expect(gray.length).toBeGreaterThan(20)
  expect(Math.max(...ink)).toBeLessThan(Math.min(...gray))
})

test('long names take several lines and stay inside; a name in other letters has no card', () => {
  const rows = pixelsOf(
    drawCard('Measured winds '.repeat(4).trim(), 'a long promise '.repeat(10).trim(), '#0b6d89')!.body,
  )
  for (const row of rows.slice(16)) expect(row.subarray(1130).every((one) => one === 0)).toBe(true)
  expect(rows.at(-1)!.every((one) => one === 0)).toBe(true)
  expect(drawCard('Ωμέγα', undefined, '#0b6d89')).toBeNull()
})
