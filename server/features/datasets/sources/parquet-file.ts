import { basename } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, type Compressors, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { DatasetFile } from '../dataset-file.ts'
import { objectBatch, type Rows, resolveConstants } from '../row-batch.ts'

const ROWS_PER_READ = 20_000

/**
 * In addition to snappy, which the reader supports. A page declares its unpacked size; more than that is an error or an
 * attack.
 */
const compressors: Compressors = {
  GZIP: (input, size) => gunzipSync(input, { maxOutputLength: size }),
  ZSTD: (input, size) => zstdDecompressSync(input, { maxOutputLength: size }),
  BROTLI: (input, size) => brotliDecompressSync(input, { maxOutputLength: size }),
}

/** Rows of a Parquet file. Throws with the file's name when it is incomplete, lacks columns, or cannot be unpacked. */
export async function* parquetRows(dataset: DatasetFile, path: string): Rows {
  const name = basename(path)
  const { columns } = resolveConstants(dataset.fields, {})
  try {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    const held = metadata.schema.slice(1).map((column) => column.name)
    const absent = columns.find((column) => !held.includes(column))
    if (absent) throw new Error(`has no column "${absent}". Its columns: ${held.join(', ')}`)
    const total = Number(metadata.num_rows)
    for (let rowStart = 0; rowStart < total; rowStart += ROWS_PER_READ) {
      const rowEnd = Math.min(total, rowStart + ROWS_PER_READ)
      const objects = await parquetReadObjects({ file, metadata, compressors, columns, rowStart, rowEnd })
      const from = rowStart
      yield objectBatch(dataset, objects, {}, (index) => `${name} row ${from + index + 1}`)
    }
  } catch (error) {
    const { message } = error as Error
    if (message.startsWith('has no column')) throw new Error(`${name} ${message}.`)
    const codec = /unsupported compression codec: (\w+)/.exec(message)?.[1]
    throw new Error(
      codec
        ? `${name} is compressed with ${codec.split('_')[0]}, which cannot be read; write it with snappy, gzip, zstd, brotli or none.`
        : `${name} is not a complete Parquet file: ${isSlip(error) ? 'it cannot be decoded' : message}. Write or copy it again.`,
    )
  }
}

/** Invalid bytes make the decoder throw its own errors, whose text would not help. */
const isSlip = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError
