import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BarColumns } from '../../bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../../bars/bar-set.ts'
import { type BarMemory, createBarMemory } from '../bar-memory.ts'
import { fileBlocks } from '../block-source.ts'
import { readTable } from '../block-table.ts'
import { createBlockWriter } from '../block-writer.ts'
import { openRangedFile, type RangedFile } from '../ranged-file.ts'
import { StoredSeries } from '../stored-series.ts'

/** Made-up bars at these times. */
export function barsAt(times: ArrayLike<number>): BarColumns {
  const bars = columnsAt(new ArrayBuffer(symbolBytes(times.length)), 0, times.length)
  bars.times.set(Array.from(times))
  for (let i = 0; i < times.length; i++) {
    const close = 100 + ((i * 37) % 1000) / 100
    bars.open[i] = close
    bars.high[i] = close + 0.25
    bars.low[i] = close - 0.25
    bars.close[i] = close + 0.125
    bars.volume[i] = 1000 + i
  }
  return bars
}

export interface StoredBars {
  series: StoredSeries
  memory: BarMemory
  /** Offset and length of each read of blocks. */
  reads: [number, number][]
  path: string
  remove: () => Promise<void>
}

/** Bars in a file of their own, and what is read of it. */
export async function storeBars(
  bars: BarColumns,
  interval: '1d' | '1m',
  budgetBytes = 2 ** 24,
  wrap: (file: RangedFile) => RangedFile = (file) => file,
): Promise<StoredBars> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-blocks-'))
  const path = join(directory, 'bars.blocks')
  const writer = await createBlockWriter(path)
  const [firstBlock, blocks] = await writer.add(bars, interval)
  await writer.finish()
  await writer.close()
  const opened = wrap(await openRangedFile(path, (await stat(path)).size))
  const table = await readTable(opened, blocks)
  const reads: [number, number][] = []
  const file: RangedFile = {
    size: opened.size,
    read(offset, length) {
      reads.push([offset, length])
      return opened.read(offset, length)
    },
  }
  const memory = createBarMemory(budgetBytes)
  const series = new StoredSeries(
    { source: fileBlocks(file, table), memory, table, firstBlock, blocks, count: bars.times.length },
    { actions: [], adjustments: {} },
  )
  return { series, memory, reads, path, remove: () => rm(directory, { recursive: true, force: true }) }
}
