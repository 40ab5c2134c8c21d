import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { type BarColumns, cutBars } from '../bars/bar-series.ts'
import { civil, MINUTES_PER_DAY } from '../dates.ts'
import { encodeBars } from './block-codec.ts'
import { tableBytes } from './block-table.ts'

export interface BlockWriter {
  /** Writes the bars of one series; returns its first block and how many there are. */
  add: (bars: BarColumns, interval: '1d' | '1m') => Promise<[firstBlock: number, blocks: number]>
  finish: () => Promise<{ sha256: string; blocks: number }>
  close: () => Promise<void>
}

/** Writes series one after the other, each in blocks of a calendar year of days or a month of minutes (UTC). */
export async function createBlockWriter(path: string): Promise<BlockWriter> {
  const file = await open(path, 'wx')
  const hash = createHash('sha256')
  const table = { offsets: [0], firstTimes: [] as number[], lastTimes: [] as number[], firstBars: [] as number[] }
  const append = async (bytes: Uint8Array) => {
    hash.update(bytes)
    await file.writeFile(bytes)
  }
  return {
    async add(bars, interval) {
      const firstBlock = table.firstTimes.length
      const { times } = bars
      for (let first = 0; first < times.length; ) {
        const end = blockEnd(times, first, interval)
        const bytes = encodeBars(cutBars(bars, first, end))
        table.offsets.push(table.offsets.at(-1)! + bytes.length)
        table.firstTimes.push(times[first]!)
        table.lastTimes.push(times[end - 1]!)
        table.firstBars.push(first)
        await append(bytes)
        first = end
      }
      return [firstBlock, table.firstTimes.length - firstBlock]
    },
    async finish() {
      await append(
        tableBytes({
          offsets: Float64Array.from(table.offsets),
          firstTimes: Int32Array.from(table.firstTimes),
          lastTimes: Int32Array.from(table.lastTimes),
          firstBars: Int32Array.from(table.firstBars),
        }),
      )
      await file.sync()
      return { sha256: hash.digest('hex'), blocks: table.firstTimes.length }
    },
    close: () => file.close(),
  }
}

function blockEnd(times: Int32Array, first: number, interval: '1d' | '1m'): number {
  const blockOf = (index: number) => {
    const { year, month } = civil(interval === '1d' ? times[index]! : Math.floor(times[index]! / MINUTES_PER_DAY))
    return interval === '1d' ? year : 12 * year + month
  }
  const own = blockOf(first)
  let low = first + 1
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (blockOf(middle) > own) high = middle
    else low = middle + 1
  }
  return low
}
