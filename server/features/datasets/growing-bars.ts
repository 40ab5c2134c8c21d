import type { BarColumns } from '../market-data/bars/bar-series.ts'

const FIRST_CAPACITY = 256
const columns = ['open', 'high', 'low', 'close', 'volume'] as const

/** The bars of one symbol while being read: growing columns, and splits and dividends by bar. */
export class GrowingBars {
  count = 0
  sorted = true
  #bars: BarColumns = emptyBars(FIRST_CAPACITY)
  /** Split and dividend by the bar's time. */
  readonly actions = new Map<number, { split: number; dividend: number }>()

  /** The time of the last bar; NaN before the first. */
  get lastTime(): number {
    return this.count === 0 ? Number.NaN : this.#bars.times[this.count - 1]!
  }

  add(time: number, open: number, high: number, low: number, close: number, volume: number): void {
    const at = this.count++
    if (at === this.#bars.times.length) this.#grow(2 * at)
    const bars = this.#bars
    if (at > 0 && time <= bars.times[at - 1]!) this.sorted = false
    bars.times[at] = time
    bars.open[at] = open
    bars.high[at] = high
    bars.low[at] = low
    bars.close[at] = close
    bars.volume[at] = volume
  }

  /** The bars in time order; for equal times in row order. */
  finish(): BarColumns {
    this.#grow(this.count)
    if (this.sorted) return this.#bars
    const order = Array.from({ length: this.count }, (_, i) => i)
    const { times } = this.#bars
    order.sort((a, b) => times[a]! - times[b]! || a - b)
    const bars = emptyBars(this.count)
    for (const [to, from] of order.entries()) {
      bars.times[to] = times[from]!
      for (const name of columns) bars[name][to] = this.#bars[name][from]!
    }
    return bars
  }

  #grow(size: number): void {
    const kept = Math.min(size, this.count)
    const next = emptyBars(size)
    next.times.set(this.#bars.times.subarray(0, kept))
    for (const name of columns) next[name].set(this.#bars[name].subarray(0, kept))
    this.#bars = next
  }
}

function emptyBars(size: number): BarColumns {
  const column = () => new Float64Array(size)
  return {
    times: new Int32Array(size),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
}
