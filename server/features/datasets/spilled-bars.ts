import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BarColumns } from '../market-data/bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../market-data/bars/bar-set.ts'
import type { GrowingBars } from './growing-bars.ts'

/** Bars in memory while a source is read: about 70 MB with the room that columns grow into. */
const MOST_HELD_BARS = 1_000_000

/**
 * Bars of all symbols while a source is read. Sources come in any order, so no symbol is complete before the end: what
 * does not fit into memory is put aside in a temporary file, and read back one symbol at a time.
 */
export class SpilledBars {
  readonly #most: number
  #held = 0
  #size = 0
  #directory: string | null = null
  #file: FileHandle | null = null

  constructor(mostHeldBars = MOST_HELD_BARS) {
    this.#most = mostHeldBars
  }

  /** Notes that one bar was added. When this was the last that fits, `spill` must follow. */
  added(): boolean {
    this.#held += 1
    return this.#held >= this.#most
  }

  async spill(symbols: Iterable<GrowingBars>): Promise<void> {
    this.#directory ??= await mkdtemp(join(tmpdir(), 'finmeter-import-'))
    this.#file ??= await open(join(this.#directory, 'bars'), 'wx+')
    for (const bars of symbols) {
      const { count } = bars
      if (count === 0) continue
      const bytes = bars.take()
      await this.#file.writeFile(bytes)
      bars.runs.push({ offset: this.#size, count })
      this.#size += bytes.length
    }
    this.#held = 0
  }

  /** All bars of a symbol. */
  async finish(bars: GrowingBars): Promise<BarColumns> {
    const earlier: BarColumns[] = []
    for (const { offset, count } of bars.runs) {
      const buffer = new ArrayBuffer(symbolBytes(count))
      const { bytesRead } = await this.#file!.read(new Uint8Array(buffer), 0, buffer.byteLength, offset)
      if (bytesRead !== buffer.byteLength) throw new Error('The temporary file of this import was truncated.')
      earlier.push(columnsAt(buffer, 0, count))
    }
    return bars.finish(earlier)
  }

  async close(): Promise<void> {
    await this.#file?.close()
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true })
  }
}
