import { expect, test } from 'vitest'
import { isAlarming } from './accent.ts'

test.each([
  ['#a03a00', true],
  ['#d1413c', true],
  ['#b7791f', true],
  ['#a21caf', false],
  ['#2e7d32', false],
  ['#0b6d89', false],
  ['#5b21b6', false],
  ['#444444', false],
])('%s looks like refused or failed calls: %s', (color, alarming) => {
  expect(isAlarming(color)).toBe(alarming)
})
