import type { BarColumns } from '../bars/bar-series.ts'
import { decodeBars } from './block-codec.ts'
import type { BlockTable } from './block-table.ts'
import type { RangedFile } from './ranged-file.ts'

/** Where the bars of blocks come from. Blocks are counted as in the table. */
export interface BlockSource {
  /** What a read of blocks `first` to `end` (exclusive) costs, in bytes. */
  bytes: (first: number, end: number) => number
  /** The bars of neighboring blocks from `first`, of which each has as many as `counts` says. Throws for anything else. */
  read: (first: number, counts: readonly number[]) => AsyncIterable<BarColumns>
}

/** Blocks of a published file. */
export function fileBlocks(file: RangedFile, { offsets }: BlockTable): BlockSource {
  const bytes = (first: number, end: number) => offsets[end]! - offsets[first]!
  return {
    bytes,
    async *read(first, counts) {
      const start = offsets[first]!
      const read = await file.read(start, bytes(first, first + counts.length))
      for (const [index, count] of counts.entries()) {
        const block = first + index
        yield await decodeBars(read.subarray(offsets[block]! - start, offsets[block + 1]! - start), count)
      }
    },
  }
}
