import { makeAdjustments } from '../bars/adjustment.ts'
import { supportedAdjustments } from '../bars/bar-set.ts'
import { plainAdjustments } from '../bars/resample.ts'
import type { HeldSymbol } from '../dataset-part.ts'
import type { BarBlocksManifest, BarsManifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'
import type { BarMemory } from './bar-memory.ts'
import { fileBlocks } from './block-source.ts'
import { readTable } from './block-table.ts'
import { StoredSeries } from './stored-series.ts'

/** Every symbol of a file of blocks, of which only the table is read. Throws when the file does not match its manifest. */
export async function loadBarBlocks(
  files: VersionFiles,
  manifest: BarBlocksManifest,
  memory: BarMemory,
): Promise<HeldSymbol[]> {
  const file = await files.open(manifest.file)
  const table = await readTable(file, manifest.blocks)
  const source = fileBlocks(file, table)
  const { symbols, kind: _, blocks: __, ...shared } = manifest
  const { basis, volume_basis: volumeBasis, interval } = manifest
  return symbols.map(({ at, count, days, actions: given, ...symbol }) => {
    const closes = new Map(given.map(([index, , , , close]) => [index, close ?? Number.NaN]))
    const actions = given.map(([index, time, split, dividend]) => ({ index, time, split, dividend }))
    const adjustments = supportedAdjustments(
      basis,
      actions.some(({ dividend }) => dividend > 0),
      symbol.first,
    )
    const own: BarsManifest = { ...shared, ...symbol, kind: 'bars', rows: count, adjustments }
    const firstIndex = Object.fromEntries(Object.keys(adjustments).map((adjust) => [adjust, 0]))
    const closeBefore = ({ index }: { index: number }) => closes.get(index)!
    const series = new StoredSeries(
      { source, memory, table, firstBlock: at[0], blocks: at[1], count },
      {
        actions,
        adjustments: makeAdjustments({
          count,
          closeBefore,
          actions,
          basis,
          volumeBasis,
          publishedClose: null,
          firstIndex,
        }),
      },
    )
    if (interval === '1d' || !days) return { manifest: own, series }
    const [firstBlock, blocks, dayCount] = days
    const ofDays = new StoredSeries(
      { source, memory, table, firstBlock, blocks, count: dayCount },
      { actions: [], adjustments: plainAdjustments },
    )
    return { manifest: own, series, days: ofDays }
  })
}
