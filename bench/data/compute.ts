import { resample } from '../../server/features/market-data/bars/resample.ts'
import { screen } from '../../server/features/market-data/companies/screen.ts'
import { type Indicator, indicatorNames, indicators } from '../../server/features/market-data/indicators/catalog.ts'
import type { MarketData } from '../../server/features/market-data/market-data.ts'
import { type Line, processorSeconds, time } from './timing.ts'

const BARS = 8_000
const REPEATS = 50

/** Work computed on request: indicators, longer bars, a screen of the demo companies. */
export async function compute(market: MarketData, demo: MarketData, seconds: number): Promise<Line[]> {
  const { series } = market.catalog.instruments[0]!
  const bars = series.columns(0, BARS)
  const everyIndicator = () => {
    for (const name of indicatorNames) {
      const indicator: Indicator = indicators[name]
      indicator.compute(
        bars,
        indicator.params.map((param) => param.default),
      )
    }
  }
  const all = await time(everyIndicator, seconds)
  const busyMs = (1000 * (await processorSeconds(() => Array.from({ length: REPEATS }, everyIndicator)))) / REPEATS
  const monthly = await time(() => resample(bars, '1mo'), seconds)
  const filters = [{ field: 'profit_margin', op: 'gt' as const, value: 10 }]
  const screening = await time(
    () => screen(demo, { filters, columns: ['symbol', 'revenue'], sort: '-revenue', on: Number.POSITIVE_INFINITY }),
    seconds,
  )
  return [
    {
      what: `${indicatorNames.length} indicators on ${BARS.toLocaleString('en-US')} bars`,
      figure: `p50 ${all.p50Ms.toFixed(1)} ms, p99 ${all.p99Ms.toFixed(1)} ms; ${busyMs.toFixed(1)} ms of processor time`,
      target: 'under 15 ms',
      met: busyMs < 15,
    },
    {
      what: `${BARS.toLocaleString('en-US')} daily bars to months`,
      figure: `p50 ${monthly.p50Ms.toFixed(2)} ms`,
      target: 'under 2 ms',
      met: monthly.p50Ms < 2,
    },
    {
      what: `screen of ${demo.statements.bySymbol.size} companies`,
      figure: `p50 ${screening.p50Ms.toFixed(2)} ms, p99 ${screening.p99Ms.toFixed(2)} ms`,
      target: '',
      met: null,
    },
  ]
}
