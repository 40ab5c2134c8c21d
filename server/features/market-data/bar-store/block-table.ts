import type { RangedFile } from './ranged-file.ts'

/** Bytes of a block in the table: its offset, the first and last time, and the index of its first bar. */
export const ENTRY_BYTES = 8 + 3 * 4

/** Where the blocks of a file are, and what they hold. Block `i` ends where `offsets[i + 1]` begins. */
export interface BlockTable {
  offsets: Float64Array
  firstTimes: Int32Array
  lastTimes: Int32Array
  /** Index of the block's first bar among the bars of its series. */
  firstBars: Int32Array
}

/** The table as it stands at the end of a file, in the byte order of x86 and ARM. */
export function tableBytes({ offsets, firstTimes, lastTimes, firstBars }: BlockTable): Uint8Array {
  const parts = [offsets, firstTimes, lastTimes, firstBars]
  return Buffer.concat(
    parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  )
}

const sizeOfTable = (blocks: number): number => ENTRY_BYTES * blocks + 8

/** Reads the table of a file. Throws when the file is shorter or longer than its table says. */
export async function readTable(file: RangedFile, blocks: number): Promise<BlockTable> {
  const size = sizeOfTable(blocks)
  if (size > file.size) throw new Error(`The file of bars has ${file.size} bytes, and its table alone has ${size}.`)
  const { buffer } = await file.read(file.size - size, size)
  const offsets = new Float64Array(buffer, 0, blocks + 1)
  if (offsets[blocks] !== file.size - size)
    throw new Error(`The file of bars has ${file.size} bytes; its table says ${offsets[blocks]! + size}.`)
  const times = 8 * (blocks + 1)
  return {
    offsets,
    firstTimes: new Int32Array(buffer, times, blocks),
    lastTimes: new Int32Array(buffer, times + 4 * blocks, blocks),
    firstBars: new Int32Array(buffer, times + 8 * blocks, blocks),
  }
}
