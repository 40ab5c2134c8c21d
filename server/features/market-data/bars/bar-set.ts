import type { Adjust, BarSetManifest, BarsManifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'
import { makeAdjustments } from './adjustment.ts'
import { type BarColumns, type BarSeries, heldSeries } from './bar-series.ts'

/** The size of a column of this many bars, padded so that 8-byte numbers stay aligned. */
const timesBytes = (count: number): number => 8 * Math.ceil((4 * count) / 8)

/** Bytes of one symbol: times as 32-bit integers, then open, high, low, close and volume as 64-bit floats, in the byte order of x86 and ARM. */
export const symbolBytes = (count: number): number => timesBytes(count) + 5 * 8 * count

/** Views of one symbol's columns in the buffer of a set. */
export function columnsAt(buffer: ArrayBuffer, offset: number, count: number): BarColumns {
  const prices = offset + timesBytes(count)
  const column = (at: number) => new Float64Array(buffer, prices + 8 * count * at, count)
  return {
    times: new Int32Array(buffer, offset, count),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: column(4),
  }
}

/**
 * Every symbol of a set, as versions before blocks were published: one file in memory, and views of it.
 * Throws when the file is shorter than its manifest says. */
export async function loadBarSet(
  files: VersionFiles,
  manifest: BarSetManifest,
): Promise<{ manifest: BarsManifest; series: BarSeries }[]> {
  const { symbols, kind: _, ...shared } = manifest
  const size = symbols.reduce((sum, { count }) => sum + symbolBytes(count), 0)
  const buffer = await readWhole(files, manifest.file, size)
  return symbols.map(({ offset, count, actions: given, ...symbol }) => {
    const bars = columnsAt(buffer, offset, count)
    const actions = given.map(([index, split, dividend]) => ({ index, time: bars.times[index]!, split, dividend }))
    const adjustments = supportedAdjustments(
      manifest.basis,
      actions.some(({ dividend }) => dividend > 0),
      symbol.first,
    )
    const own: BarsManifest = { ...shared, ...symbol, kind: 'bars', rows: count, adjustments }
    const firstIndex = Object.fromEntries(Object.keys(adjustments).map((adjust) => [adjust, 0]))
    const { basis, volume_basis: volumeBasis } = manifest
    return {
      manifest: own,
      series: heldSeries(bars, {
        actions,
        adjustments: makeAdjustments({
          count,
          closeBefore: ({ index }) => bars.close[index - 1]!,
          actions,
          basis,
          volumeBasis,
          publishedClose: null,
          firstIndex,
        }),
      }),
    }
  })
}

/** Reads a file into memory in pieces: bars are most of a server's memory. */
async function readWhole(files: VersionFiles, name: string, size: number): Promise<ArrayBuffer> {
  const file = await files.open(name)
  if (file.size !== size) throw new Error(`${files.placeOf(name)} has ${file.size} bytes, its manifest says ${size}.`)
  const whole = new Uint8Array(size)
  for (let at = 0; at < size; at += PIECE_BYTES) whole.set(await file.read(at, Math.min(PIECE_BYTES, size - at)), at)
  return whole.buffer
}

const PIECE_BYTES = 2 ** 24

/** The distinct adjustments: without dividend data, "all" would promise too much. */
export function supportedAdjustments(
  basis: Adjust,
  hasDividends: boolean,
  first: string,
): Partial<Record<Adjust, string>> {
  if (basis === 'all') return { all: first }
  return { splits: first, none: first, ...(hasDividends && { all: first }) }
}
