import { promisify } from 'node:util'
import { constants, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { BarColumns } from '../bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../bars/bar-set.ts'

const prices = ['open', 'high', 'low', 'close', 'volume'] as const
const COLUMNS = 6
/** In another thread, so that calls for bars in memory do not wait. */
const decompress = promisify(zstdDecompress)
/** A column is tried with these numbers of decimals; one that no number fits is kept as floats. */
const DECIMALS = [0, 2, 4, 6, 8]
const AS_FLOATS = 255
/** Kind and first value. */
const HEAD_BYTES = 9
/** Times before they become whole numbers. Shared by all blocks, because new buffers make V8 collect garbage. */
let scratch = new Float64Array(0)

/** The checksum makes a damaged block an error instead of wrong prices. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }

/**
 * Bars as compressed bytes. Values become whole numbers of their smallest unit, then differences to the row before, with
 * the bytes of equal weight side by side, because those repeat. What comes back is bit for bit what went in.
 */
export function encodeBars(bars: BarColumns): Uint8Array {
  const columns = [Float64Array.from(bars.times), ...prices.map((name) => bars[name])]
  return zstdCompressSync(Buffer.concat(columns.map(encodeColumn)), options)
}

/** Rejects when the bytes are damaged or hold another number of bars. */
export async function decodeBars(bytes: Uint8Array, count: number): Promise<BarColumns> {
  const most = COLUMNS * (HEAD_BYTES + 8 * count)
  // A block without floats fits into one chunk. The byte more keeps zlib from allocating another when the chunk is full.
  const chunkSize = Math.max(64, COLUMNS * (HEAD_BYTES + 4 * count) + 1)
  const packed = await decompress(bytes, { chunkSize, maxOutputLength: most })
  const bars = columnsAt(new ArrayBuffer(symbolBytes(count)), 0, count)
  if (scratch.length < count) scratch = new Float64Array(count)
  const times = scratch.subarray(0, count)
  let at = decodeColumn(packed, 0, times)
  bars.times.set(times)
  for (const name of prices) at = decodeColumn(packed, at, bars[name])
  if (at !== packed.length) throw new Error(`A block of ${count} bars has ${packed.length} bytes instead of ${at}.`)
  return bars
}

function encodeColumn(values: Float64Array): Buffer {
  const count = values.length
  const decimals = decimalsOf(values)
  const packed = Buffer.alloc(HEAD_BYTES + (decimals === null ? 8 : 4) * count)
  packed[0] = decimals ?? AS_FLOATS
  if (decimals === null) {
    for (let i = 0; i < count; i++) packed.writeDoubleLE(values[i]!, HEAD_BYTES + 8 * i)
    return packed
  }
  const power = 10 ** decimals
  let before = Math.round(values[0]! * power)
  packed.writeDoubleLE(before, 1)
  for (let i = 0; i < count; i++) {
    const unit = Math.round(values[i]! * power)
    const difference = unit - before
    before = unit
    // Small differences of either sign become small numbers.
    const folded = (difference << 1) ^ (difference >> 31)
    for (let byte = 0; byte < 4; byte++) packed[HEAD_BYTES + byte * count + i] = folded >>> (8 * byte)
  }
  return packed
}

/** Returns where the next column begins. Decoding of all columns stays one compiled loop: `into` has one type. */
function decodeColumn(packed: Buffer, at: number, into: Float64Array): number {
  const count = into.length
  const decimals = packed[at]!
  const from = at + HEAD_BYTES
  if (decimals === AS_FLOATS) {
    for (let i = 0; i < count; i++) into[i] = packed.readDoubleLE(from + 8 * i)
    return from + 8 * count
  }
  const power = 10 ** decimals
  let unit = packed.readDoubleLE(at + 1)
  const [b, c, d] = [from + count, from + 2 * count, from + 3 * count]
  for (let i = 0; i < count; i++) {
    const folded = packed[from + i]! | (packed[b + i]! << 8) | (packed[c + i]! << 16) | (packed[d + i]! << 24)
    unit += (folded >>> 1) ^ -(folded & 1)
    into[i] = unit / power
  }
  return from + 4 * count
}

/** The fewest decimals that hold every value exactly, with differences of 31 bits; null: none do. */
function decimalsOf(values: Float64Array): number | null {
  return DECIMALS.find((decimals) => fits(values, 10 ** decimals)) ?? null
}

function fits(values: Float64Array, power: number): boolean {
  let before = Math.round(values[0]! * power)
  for (const value of values) {
    const unit = Math.round(value * power)
    const difference = unit - before
    if (unit / power !== value || !Number.isSafeInteger(unit) || Object.is(unit, -0)) return false
    if (difference > 0x3fff_ffff || difference < -0x3fff_ffff) return false
    before = unit
  }
  return true
}
