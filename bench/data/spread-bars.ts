import { open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlockTable, readTable, tableBytes } from '../../server/features/market-data/bar-store/block-table.ts'
import { openRangedFile } from '../../server/features/market-data/bar-store/ranged-file.ts'
import type { BarBlocksManifest } from '../../server/features/market-data/manifest.ts'

/** From so many bars, only one symbol in `SPREAD` is written; the others are holes in the file. */
const SAMPLED_FROM = 1_000_000_000
export const SPREAD = 500
export const spreadOf = (bars: number): number => (bars >= SAMPLED_FROM ? SPREAD : 1)

/**
 * Puts `SPREAD - 1` symbols without bytes behind each symbol of a published file. Its table, its manifest and the places
 * of its blocks become those of a file that is so many times larger, on a disk that is not.
 */
export async function spreadBars(directory: string, manifest: BarBlocksManifest): Promise<BarBlocksManifest> {
  const path = join(directory, manifest.file)
  const given = await openRangedFile(path, (await stat(path)).size)
  const from = await readTable(given, manifest.blocks)
  const blocks = manifest.blocks * SPREAD
  const table: BlockTable = {
    offsets: new Float64Array(blocks + 1),
    firstTimes: new Int32Array(blocks),
    lastTimes: new Int32Array(blocks),
    firstBars: new Int32Array(blocks),
  }
  const symbols: BarBlocksManifest['symbols'] = []
  const file = await open(join(directory, 'spread'), 'wx')
  let [offset, block] = [0, 0]
  for (const symbol of manifest.symbols) {
    const [first, count] = [symbol.at[0], symbol.at[1] + (symbol.days?.[1] ?? 0)]
    const start = from.offsets[first]!
    const length = from.offsets[first + count]! - start
    await file.write(await given.read(start, length), 0, length, offset)
    for (let copy = 0; copy < SPREAD; copy++) {
      const name = `SYN.${String(symbols.length).padStart(6, '0')}`
      const days = symbol.days && ([block + symbol.at[1], symbol.days[1], symbol.days[2]] as [number, number, number])
      symbols.push({ ...symbol, symbol: name, name, at: [block, symbol.at[1]], ...(days && { days }) })
      for (const column of ['firstTimes', 'lastTimes', 'firstBars'] as const)
        table[column].set(from[column].subarray(first, first + count), block)
      for (let at = 0; at < count; at++) table.offsets[block + at] = offset + from.offsets[first + at]! - start
      block += count
      offset += length
    }
  }
  table.offsets[blocks] = offset
  const bytes = tableBytes(table)
  await file.write(bytes, 0, bytes.length, offset)
  await file.close()
  await rename(join(directory, 'spread'), path)
  return { ...manifest, blocks, symbols, rows: manifest.rows * SPREAD }
}
