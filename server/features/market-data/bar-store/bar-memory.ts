import type { Pinned } from '../../tools/rows/not-in-memory.ts'
import type { BarColumns } from '../bars/bar-series.ts'
import { symbolBytes } from '../bars/bar-set.ts'

/** Consecutive bars of one symbol in memory. `columns` is null once they were evicted. */
export interface HeldBars extends Pinned {
  /** Index of the first bar, and after the last. */
  readonly first: number
  readonly end: number
  columns: BarColumns | null
  /** Where they stand in the memory's list. */
  place: number
}

const SAMPLE = 16

/** Decoded bars of all stored series together, up to a number of bytes. */
export interface BarMemory {
  readonly bytes: number
  /** Counts reads; the age of bars is measured by it. */
  clock: number
  add: (bars: HeldBars) => void
  drop: (bars: HeldBars) => void
}

/**
 * Evicts what is oldest for its size: of a few held at random, the greatest product of age and bytes goes. So a month of
 * minutes that is read once makes room before thirty years of days that are read often, and a hot read only sets a
 * number. Bars that calls need now may exceed the budget until those calls end.
 */
export function createBarMemory(budgetBytes: number): BarMemory {
  const held: HeldBars[] = []
  const memory = { bytes: 0, clock: 0, add, drop }

  function add(bars: HeldBars): void {
    memory.bytes += sizeOf(bars)
    while (memory.bytes > budgetBytes && evictOne()) {}
    bars.place = held.length
    bars.usedAt = ++memory.clock
    held.push(bars)
  }

  function drop(bars: HeldBars): void {
    if (bars.columns === null) return
    bars.columns = null
    memory.bytes -= sizeOf(bars)
    const last = held.pop()!
    if (last === bars) return
    held[bars.place] = last
    last.place = bars.place
  }

  /** Whether it found any that no call needs. */
  function evictOne(): boolean {
    let worst: HeldBars | null = null
    let most = -1
    for (let i = 0; i < SAMPLE && held.length > 0; i++) {
      const one = held[Math.floor(Math.random() * held.length)]!
      const weight = (memory.clock - one.usedAt + 1) * sizeOf(one)
      if (one.pins > 0 || weight <= most) continue
      worst = one
      most = weight
    }
    if (worst) drop(worst)
    return worst !== null
  }

  return memory
}

const sizeOf = ({ first, end }: HeldBars): number => symbolBytes(end - first)
