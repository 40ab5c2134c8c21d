import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayForm, minuteForm } from './time-forms.ts'

const bytes = Buffer.alloc(64)
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

test('days and minutes are written as the calendar has them, in any order', () => {
  const whole = (unit: number) =>
    fc.integer({ min: Date.UTC(1, 0, 1) / unit, max: Math.floor(Date.UTC(9999, 11, 31, 23, 59) / unit) })
  const forms = [
    [dayForm, 86_400_000, (iso: string) => iso.slice(0, 10)],
    [minuteForm, 60_000, (iso: string) => `${iso.slice(0, 16)}:00Z`],
  ] as const
  for (const [form, unit, expected] of forms)
    fc.assert(
      fc.property(fc.array(whole(unit), { maxLength: 20 }), (times) => {
        for (const time of times) {
          const text = expected(new Date(time * unit).toISOString())
          expect(bytes.toString('latin1', 3, form.write(view, 3, time))).toBe(text)
          expect(form.text(time)).toBe(text)
        }
      }),
    )
})

test('days of one month after the other are those of the calendar', () => {
  for (let day = 10_900; day < 12_900; day++) {
    const text = new Date(day * 86_400_000).toISOString().slice(0, 10)
    expect(bytes.toString('latin1', 0, dayForm.write(view, 0, day))).toBe(text)
  }
})
