import type { BarColumns } from '../market-data/bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../market-data/bars/bar-set.ts'

const FIRST_CAPACITY = 64
const columns = ['times', 'open', 'high', 'low', 'close', 'volume'] as const

/** The bars of one symbol while being read: growing columns, and splits and dividends by bar. */
export class GrowingBars {
  /** Bars in memory. */
  count = 0
  sorted = true
  /** Time of the last bar; NaN before the first. */
  lastTime = Number.NaN
  /** Split and dividend by the bar's time. */
  readonly actions = new Map<number, { split: number; dividend: number }>()
  /** Where earlier bars were put aside: see `SpilledBars`. */
  readonly runs: { offset: number; count: number }[] = []
  #bars: BarColumns = emptyBars(FIRST_CAPACITY)

  add(time: number, open: number, high: number, low: number, close: number, volume: number): void {
    const at = this.count++
    if (at === this.#bars.times.length) this.#bars = join([this.#bars], 2 * at)
    const bars = this.#bars
    if (time <= this.lastTime) this.sorted = false
    this.lastTime = time
    bars.times[at] = time
    bars.open[at] = open
    bars.high[at] = high
    bars.low[at] = low
    bars.close[at] = close
    bars.volume[at] = volume
  }

  /** The bars in memory, in row order, as bytes; the memory is free afterwards. */
  take(): Uint8Array {
    const { buffer } = join([this.#bars], this.count).times
    this.count = 0
    this.#bars = emptyBars(FIRST_CAPACITY)
    return new Uint8Array(buffer)
  }

  /** All bars, `earlier` ones first, in time order; for equal times in row order. */
  finish(earlier: readonly BarColumns[]): BarColumns {
    const size = earlier.reduce((sum, { times }) => sum + times.length, this.count)
    const rows = join([...earlier, this.#bars], size)
    this.#bars = emptyBars(0)
    if (this.sorted) return rows
    const { times } = rows
    const order = Uint32Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || a - b)
    const bars = emptyBars(size)
    for (const name of columns) for (let to = 0; to < size; to++) bars[name][to] = rows[name][order[to]!]!
    return bars
  }
}

const emptyBars = (size: number): BarColumns => columnsAt(new ArrayBuffer(symbolBytes(size)), 0, size)

/** The first `size` bars of these parts, or all with room for `size`. */
function join(parts: readonly BarColumns[], size: number): BarColumns {
  const joined = emptyBars(size)
  let at = 0
  for (const part of parts) {
    const count = Math.min(part.times.length, size - at)
    for (const name of columns) (joined[name] as Float64Array).set(part[name].subarray(0, count), at)
    at += count
  }
  return joined
}
