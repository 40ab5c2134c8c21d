import { AppError } from '../../../http/errors.ts'
import { type DataLease, NotInMemory } from '../../tools/rows/not-in-memory.ts'
import type { Action, Adjustment } from '../bars/adjustment.ts'
import { type BarColumns, type BarSeries, cutBars, firstOnOrAfter } from '../bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../bars/bar-set.ts'
import type { Adjust } from '../manifest.ts'
import type { BarMemory, HeldBars } from './bar-memory.ts'
import type { BlockSource } from './block-source.ts'
import type { BlockTable } from './block-table.ts'

/** Neighboring blocks are read together, up to this many bytes. */
const MOST_READ_BYTES = 2 ** 20
/** Blocks that are read together repeatedly become one, up to this many bars, so that a read copies nothing. */
const MOST_JOINED_BARS = 16_384
const RETRY_AFTER_SECONDS = 5

/** A series whose blocks are read when they are needed. */
export interface StoredBlocks {
  source: BlockSource
  memory: BarMemory
  table: BlockTable
  /** Its blocks in the table. */
  firstBlock: number
  blocks: number
  count: number
}

export class StoredSeries implements BarSeries {
  readonly count: number
  readonly actions: readonly Action[]
  readonly adjustments: Partial<Record<Adjust, Adjustment>>
  readonly #source: BlockSource
  readonly #memory: BarMemory
  readonly #firstBlock: number
  readonly #firstTimes: Int32Array
  readonly #lastTimes: Int32Array
  readonly #firstBars: Int32Array
  /** By block. Joined blocks stand at each of their places. */
  readonly #held: (HeldBars | undefined)[] = []
  readonly #loading = new Map<number, Promise<void>>()

  constructor(
    { source, memory, table, firstBlock, blocks, count }: StoredBlocks,
    { actions, adjustments }: Pick<BarSeries, 'actions' | 'adjustments'>,
  ) {
    const end = firstBlock + blocks
    this.count = count
    this.actions = actions
    this.adjustments = adjustments
    this.#source = source
    this.#memory = memory
    this.#firstBlock = firstBlock
    this.#firstTimes = table.firstTimes.subarray(firstBlock, end)
    this.#lastTimes = table.lastTimes.subarray(firstBlock, end)
    this.#firstBars = table.firstBars.subarray(firstBlock, end)
  }

  timeAt(index: number): number {
    const block = this.#blockOf(index)
    const first = this.#firstBars[block]!
    if (index === first) return this.#firstTimes[block]!
    if (index === this.#endOf(block) - 1) return this.#lastTimes[block]!
    const bars = this.#barsIn(block)
    return bars.columns!.times[index - bars.first]!
  }

  indexOf(time: number): number {
    const block = firstOnOrAfter(this.#lastTimes, time)
    if (block === this.#lastTimes.length) return this.count
    if (time <= this.#firstTimes[block]!) return this.#firstBars[block]!
    if (time === this.#lastTimes[block]!) return this.#endOf(block) - 1
    const bars = this.#barsIn(block)
    return bars.first + firstOnOrAfter(bars.columns!.times, time)
  }

  columns(first: number, end: number): BarColumns {
    if (first >= end) return columnsAt(new ArrayBuffer(0), 0, 0)
    const bars = this.#held[this.#blockOf(first)]
    if (!bars?.columns || end > bars.end) return this.#together(first, end)
    bars.usedAt = ++this.#memory.clock
    return cutBars(bars.columns, first - bars.first, end - bars.first)
  }

  #blockOf(index: number): number {
    return firstOnOrAfter(this.#firstBars, index + 1) - 1
  }

  #endOf(block: number): number {
    return this.#firstBars[block + 1] ?? this.count
  }

  #barsIn(block: number): HeldBars {
    const bars = this.#held[block]
    if (!bars?.columns) throw this.#missing(block, block + 1)
    bars.usedAt = ++this.#memory.clock
    return bars
  }

  #missing(block: number, end: number): NotInMemory {
    return new NotInMemory([(lease, ahead) => this.#load(block, end + ahead, lease)])
  }

  /** Bars of several blocks. */
  #together(first: number, end: number): BarColumns {
    const [block, last] = [this.#blockOf(first), this.#blockOf(end - 1)]
    const parts: HeldBars[] = []
    for (let at = block; at <= last; at++) {
      const bars = this.#held[at]
      if (!bars?.columns) throw this.#missing(block, last + 1)
      if (bars !== parts.at(-1)) parts.push(bars)
    }
    const all = { first: parts[0]!.first, end: parts.at(-1)!.end }
    if (parts.some(({ pins }) => pins > 0) || all.end - all.first > MOST_JOINED_BARS) return join(parts, first, end)
    const columns = join(parts, all.first, all.end)
    for (const part of parts) this.#memory.drop(part)
    this.#hold({ ...all, columns, pins: 0, usedAt: 0, place: 0 })
    return cutBars(columns, first - all.first, end - all.first)
  }

  #hold(bars: HeldBars): void {
    this.#memory.add(bars)
    for (let at = this.#blockOf(bars.first); at < this.#firstBars.length && this.#firstBars[at]! < bars.end; at++)
      this.#held[at] = bars
  }

  /** Reads what is missing of these blocks, neighbors together, and keeps all of them for the lease. */
  async #load(first: number, until: number, lease: DataLease): Promise<void> {
    const end = Math.min(until, this.#firstBars.length)
    for (let block = first; block < end; ) {
      const bars = this.#held[block]
      const others = this.#loading.get(block)
      if (bars?.columns) {
        lease.keep(bars, false)
        block += 1
      } else if (others) await others
      else {
        const next = this.#readEnd(block, end)
        await this.#read(block, next, lease)
        block = next
      }
    }
  }

  #readEnd(block: number, end: number): number {
    let next = block + 1
    while (
      next < end &&
      !this.#held[next]?.columns &&
      !this.#loading.has(next) &&
      this.#source.bytes(this.#firstBlock + block, this.#firstBlock + next + 1) <= MOST_READ_BYTES
    )
      next += 1
    return next
  }

  #read(first: number, end: number, lease: DataLease): Promise<void> {
    const reading = this.#fetch(first, end, lease).finally(() => {
      for (let block = first; block < end; block++) this.#loading.delete(block)
    })
    for (let block = first; block < end; block++) this.#loading.set(block, reading)
    return reading
  }

  /** Whatever goes wrong is an error that the caller may read; its cause is for the log. */
  async #fetch(first: number, end: number, lease: DataLease): Promise<void> {
    const counts = Array.from(
      { length: end - first },
      (_, at) => this.#endOf(first + at) - this.#firstBars[first + at]!,
    )
    try {
      let from = this.#firstBars[first]!
      for await (const columns of this.#source.read(this.#firstBlock + first, counts)) {
        const bars = { first: from, end: from + columns.times.length, columns, pins: 0, usedAt: 0, place: 0 }
        lease.keep(bars, true)
        this.#hold(bars)
        from = bars.end
      }
    } catch (cause) {
      throw new AppError('data_unavailable', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS }, { cause })
    }
  }
}

/** Bars `first` to `end` of neighboring parts, copied. */
function join(parts: readonly HeldBars[], first: number, end: number): BarColumns {
  const joined = columnsAt(new ArrayBuffer(symbolBytes(end - first)), 0, end - first)
  for (const part of parts) {
    const [from, to] = [Math.max(first, part.first), Math.min(end, part.end)]
    const own = cutBars(part.columns!, from - part.first, to - part.first)
    for (const name of ['times', 'open', 'high', 'low', 'close', 'volume'] as const)
      (joined[name] as Float64Array).set(own[name], from - first)
  }
  return joined
}
