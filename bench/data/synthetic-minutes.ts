import type { BarColumns } from '../../server/features/market-data/bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../../server/features/market-data/bars/bar-set.ts'

/** 2020-01-01. */
const FIRST_DAY = 18_262
const MINUTES_PER_DAY = 1_440
/** 14:30 UTC, for 390 minutes of each weekday. */
const OPEN_MINUTE = 870
const SESSION_MINUTES = 390

const cents = (value: number): number => Math.round(value * 100) / 100

/** `count` made-up minutes of one symbol, in the sessions of a stock exchange. */
export function syntheticMinutes(symbol: number, count: number): BarColumns {
  let state = symbol + 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const bars = columnsAt(new ArrayBuffer(symbolBytes(count)), 0, count)
  let close = 50 + 100 * random()
  let day = FIRST_DAY - 1
  for (let i = 0; i < count; i++) {
    const minute = i % SESSION_MINUTES
    if (minute === 0)
      do day += 1
      while ((day + 3) % 7 > 4)
    const open = close
    // Drawn back to 100, so that years of minutes keep a realistic price.
    close = Math.max(1, open * (1 + 0.002 * (random() - 0.5)) + (100 - open) * 1e-4)
    bars.times[i] = day * MINUTES_PER_DAY + OPEN_MINUTE + minute
    bars.open[i] = cents(open)
    bars.high[i] = cents(Math.max(open, close) * (1 + 0.0005 * random()))
    bars.low[i] = cents(Math.min(open, close) * (1 - 0.0005 * random()))
    bars.close[i] = cents(close)
    bars.volume[i] = Math.floor(20_000 * random())
  }
  return bars
}
