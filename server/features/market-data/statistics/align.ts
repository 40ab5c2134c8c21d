import type { BarColumns } from '../bars/bar-series.ts'

/** Closes of several symbols at the times that they share. */
export function alignCloses(all: readonly BarColumns[]): { times: Int32Array; closes: Float64Array[] } {
  const [first, ...others] = all
  if (!first) return { times: new Int32Array(0), closes: [] }
  const held = others.map(({ times }) => new Map(Array.from(times, (time, index) => [time, index])))
  const common = first.times.filter((time) => held.every((index) => index.has(time)))
  const own = new Map(Array.from(first.times, (time, index) => [time, index]))
  const closes = all.map((bars, h) => {
    const index = h === 0 ? own : held[h - 1]!
    return Float64Array.from(common, (time) => bars.close[index.get(time)!]!)
  })
  return { times: common, closes }
}
