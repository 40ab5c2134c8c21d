import { makeAdjustments } from '../bars/adjustment.ts'
import { supportedAdjustments } from '../bars/bar-set.ts'
import { plainAdjustments } from '../bars/resample.ts'
import type { HeldSymbol } from '../dataset-part.ts'
import type { BarBlocksManifest, BarsManifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'
import type { BarMemory } from './bar-memory.ts'
import { type BlockSource, fileBlocks } from './block-source.ts'
import { type BlockTable, readTable } from './block-table.ts'
import type { RangedFile } from './ranged-file.ts'
import { openBarDatabase, sqlBlocks } from './sql-blocks.ts'
import { StoredSeries } from './stored-series.ts'

/** Every symbol of a file of blocks, of which only the table is read. Throws when the file does not match its manifest. */
export async function loadBarBlocks(
  files: VersionFiles,
  manifest: BarBlocksManifest,
  memory: BarMemory,
): Promise<HeldSymbol[]> {
  const file = await files.open(manifest.file)
  const table = await readTable(file, manifest.blocks)
  const sourceOf = blockSources(manifest, file, table)
  const { symbols, kind: _, blocks: __, on_demand: ___, ...shared } = manifest
  const { basis, volume_basis: volumeBasis, interval } = manifest
  return symbols.map(({ at, count, days, actions: given, source_symbol, ...symbol }) => {
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
    const theirs = source_symbol ?? symbol.symbol
    const series = new StoredSeries(
      { source: sourceOf(theirs, false), memory, table, firstBlock: at[0], blocks: at[1], count },
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
      { source: sourceOf(theirs, true), memory, table, firstBlock, blocks, count: dayCount },
      { actions: [], adjustments: plainAdjustments },
    )
    return { manifest: own, series, days: ofDays }
  })
}

/** Where the blocks of a symbol come from; `days`: those made of its minutes. */
function blockSources(
  { id, interval, on_demand: of }: BarBlocksManifest,
  file: RangedFile,
  table: BlockTable,
): (symbol: string, days: boolean) => BlockSource {
  if (!of) {
    const source = fileBlocks(file, table)
    return () => source
  }
  const connectionString = process.env[of.connection]
  if (!connectionString) throw new Error(`${id}: set ${of.connection} to the connection string of the database.`)
  const database = openBarDatabase(connectionString, of)
  return (symbol, days) => sqlBlocks(database, table, { of, symbol, interval: days ? '1d' : interval, ofMinutes: days })
}
