import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Adjust } from '../manifest.ts'
import { type Action, type AdjustmentSource, adjustedBars, makeAdjustments } from './adjustment.ts'
import { type BarColumns, heldSeries } from './bar-series.ts'
import { roundPrice } from './round-price.ts'

/** Bars whose four prices are the close and whose volume is 1,000. */
function flat(closes: readonly number[]): BarColumns {
  const prices = () => Float64Array.from(closes)
  return {
    times: Int32Array.from(closes.keys()),
    open: prices(),
    high: prices(),
    low: prices(),
    close: prices(),
    volume: Float64Array.from(closes, () => 1000),
  }
}

interface Source extends Pick<AdjustmentSource, 'basis' | 'volumeBasis'> {
  bars: BarColumns
  actions: readonly Omit<Action, 'time'>[]
}

function convert({ bars, actions: given, basis, volumeBasis }: Source, adjust: Adjust): BarColumns {
  const actions = given.map((action) => ({ ...action, time: bars.times[action.index]! }))
  const adjustments = makeAdjustments({
    count: bars.times.length,
    closeBefore: ({ index }) => bars.close[index - 1]!,
    actions,
    basis,
    volumeBasis,
    publishedClose: null,
    firstIndex: { none: 0, splits: 0, all: 0 },
  })
  return adjustedBars(heldSeries(bars, { actions, adjustments }), adjustments[adjust]!, 0, bars.times.length)
}

describe('a share at 100 that splits 2 for 1 and then, at 50, pays 5', () => {
  const raw = flat([100, 50, 50, 45])
  const actions = [
    { index: 1, split: 2, dividend: 0 },
    { index: 3, split: 1, dividend: 5 },
  ]
  const source = { bars: raw, actions, basis: 'none', volumeBasis: 'none' } as const

  test('is level across the split when adjusted for splits, and its volume doubles before', () => {
    const { close, volume } = convert(source, 'splits')
    expect([...close]).toEqual([50, 50, 50, 45])
    expect([...volume]).toEqual([2000, 1000, 1000, 1000])
  })

  test('returned nothing when adjusted for dividends too', () => {
    expect([...convert(source, 'all').close]).toEqual([45, 45, 45, 45])
    expect([...convert(source, 'all').volume]).toEqual([2000, 1000, 1000, 1000])
  })

  test('is given back as quoted from either adjusted form', () => {
    for (const basis of ['splits', 'all'] as const) {
      const bars = convert(source, basis)
      expect([...convert({ bars, actions, basis, volumeBasis: 'splits' }, 'none').close], basis).toEqual([
        100, 50, 50, 45,
      ])
      expect([...convert({ bars, actions, basis, volumeBasis: 'splits' }, 'none').volume], basis).toEqual([
        1000, 1000, 1000, 1000,
      ])
    }
  })
})

test('a dividend on the day of a split is per new share', () => {
  const source = {
    bars: flat([100, 45]),
    actions: [{ index: 1, split: 2, dividend: 5 }],
    basis: 'none',
    volumeBasis: 'none',
  } as const
  expect([...convert(source, 'all').close]).toEqual([45, 45])
  const adjusted = flat([45, 45])
  expect([...convert({ ...source, bars: adjusted, basis: 'all' }, 'none').close]).toEqual([100, 45])
})

test('every form of any history gives every other form', () => {
  const history = fc.array(
    fc.record({
      close: fc.integer({ min: 2000, max: 50_000 }),
      split: fc.constantFrom(1, 1, 1, 2, 1.5, 0.5),
      dividend: fc.integer({ min: 0, max: 5 }),
    }),
    { minLength: 2, maxLength: 20 },
  )
  fc.assert(
    fc.property(history, (days) => {
      const bars = flat(days.map(({ close }) => close))
      const actions = days
        .map(({ split, dividend }, index) => ({ index, split, dividend }))
        .filter(({ split, dividend }) => split !== 1 || dividend !== 0)
      const all = convert({ bars, actions, basis: 'none', volumeBasis: 'none' }, 'all')
      const back = convert({ bars: all, actions, basis: 'all', volumeBasis: 'splits' }, 'none')
      for (const [index, { close }] of days.entries()) expect(back.close[index]! / close).toBeCloseTo(1, 4)
    }),
  )
})

test('an action on the first bar changes nothing before it', () => {
  const source = {
    bars: flat([10, 11]),
    actions: [{ index: 0, split: 2, dividend: 1 }],
    basis: 'none',
    volumeBasis: 'none',
  } as const
  expect([...convert(source, 'all').close]).toEqual([10, 11])
})

test('computed prices keep four decimals or six significant digits, and their order', () => {
  expect([27.99996, 119.125003, 0.0972220669, 1234.56789, 0, 9.999996].map((value) => roundPrice(value))).toEqual([
    28, 119.125, 0.0972221, 1234.5679, 0, 10,
  ])
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      (a, b) => {
        expect(Math.sign(roundPrice(a) - roundPrice(b)) * Math.sign(a - b)).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
