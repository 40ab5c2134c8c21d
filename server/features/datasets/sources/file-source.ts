import { createReadStream, type ReadStream } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { type CsvRow, csvBatches } from '../../market-data/sources/csv.ts'
import type { DatasetFile, Source } from '../dataset-file.ts'
import type { Findings } from '../report.ts'
import { objectBatch, type Rows, resolveConstants } from '../row-batch.ts'
import { parquetRows } from './parquet-file.ts'

type FileSource = Extract<Source, { type: 'file' }>
type Progress = (bytes: number, ofBytes: number | null) => void

/** The files that match a path or pattern, in name order. Throws when there are none. */
async function filesOf({ path }: FileSource, directory: string): Promise<string[]> {
  const full = isAbsolute(path) ? path : join(directory, path)
  const found: string[] = []
  for await (const file of glob(full)) found.push(file)
  if (found.length === 0) throw new Error(`No file matches ${path} in ${directory}.`)
  return found.sort()
}

/**
 * Rows of a dataset's files; `-` reads standard input as CSV or NDJSON. Malformed rows go to `findings`; throws, with
 * the file, when reading cannot continue.
 */
export async function* fileRows(
  dataset: DatasetFile,
  source: FileSource,
  progress: Progress,
  findings: Findings,
): Rows {
  if (source.path === '-') {
    yield* textRows(
      dataset,
      'standard input',
      process.stdin as unknown as AsyncIterable<Buffer>,
      source.format ?? 'csv',
      source,
      findings,
    )
    return
  }
  const files = await filesOf(source, dataset.directory)
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let before = 0
  for (const [index, file] of files.entries()) {
    const format = source.format ?? formatOf(file)
    if (format === 'parquet') yield* parquetRows(dataset, file)
    else {
      const stream = createReadStream(file, { highWaterMark: 256 * 1024 })
      const counted = counting(stream, (bytes) => progress(before + bytes, total))
      const chunks = file.endsWith('.gz') ? unzipped(counted, file) : counted
      yield* textRows(dataset, basename(file), chunks, format, source, findings)
    }
    before += sizes[index]!
    progress(before, total)
  }
}

function formatOf(file: string): 'csv' | 'ndjson' | 'parquet' {
  const name = file.replace(/\.gz$/, '')
  if (name.endsWith('.parquet')) return 'parquet'
  return /\.(ndjson|jsonl)$/.test(name) ? 'ndjson' : 'csv'
}

async function* counting(stream: ReadStream, progress: (bytes: number) => void): AsyncIterable<Buffer> {
  for await (const chunk of stream) {
    progress(stream.bytesRead)
    yield chunk as Buffer
  }
}

async function* unzipped(chunks: AsyncIterable<Buffer>, file: string): AsyncIterable<Buffer> {
  const gunzip = createGunzip()
  const feeding = (async () => {
    try {
      for await (const chunk of chunks)
        if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once('drain', resolve))
      gunzip.end()
    } catch (error) {
      gunzip.destroy(error as Error)
    }
  })()
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
  } catch (error) {
    throw new Error(`${basename(file)} is not a complete gzip file: ${(error as Error).message}.`)
  }
  await feeding
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

async function* textRows(
  dataset: DatasetFile,
  name: string,
  chunks: AsyncIterable<Buffer>,
  format: 'csv' | 'ndjson' | 'parquet',
  { delimiter }: FileSource,
  findings: Findings,
): Rows {
  if (format === 'parquet') throw new Error('Parquet cannot be read from standard input; give a path.')
  try {
    if (format === 'csv') yield* csvRows(dataset, name, csvBatches(decoded(chunks), { delimiter }), findings)
    else yield* ndjsonRows(dataset, name, csvBatches(decoded(chunks), { delimiter: '\0', quotes: false }), findings)
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new Error(`${name} is not UTF-8 text.`)
    throw message.startsWith(name) || message.includes(' line ') ? error : new Error(`${name}: ${message}`)
  }
}

/**
 * Rows of CSV whose first row names the columns. A row with a different number of cells is skipped and goes to
 * `findings`.
 */
async function* csvRows(
  dataset: DatasetFile,
  name: string,
  batches: AsyncIterable<CsvRow[]>,
  findings: Findings,
): Rows {
  let places: number[] | undefined
  let width = 0
  const { columns, pick } = resolveConstants(dataset.fields, {})
  for await (const rows of batches) {
    let from = 0
    if (!places) {
      const header = rows[0]!.cells.map((cell) => cell.trim())
      width = header.length
      places = columns.map((column) => {
        const at = header.indexOf(column)
        if (at === -1) throw new Error(`${name} has no column "${column}". Its columns: ${header.join(', ')}.`)
        return at
      })
      from = 1
    }
    const place = new Map(columns.map((column, index) => [column, places![index]!]))
    const own = rows.slice(from).filter(({ line, cells }) => {
      const fits = cells.length === width
      if (!fits)
        findings.error(
          'bad_row',
          `${name} line ${line} has ${cells.length} cells, the header has ${width}; a text with a delimiter in it needs quotes`,
        )
      return fits
    })
    const simple = columns.length === Object.keys(dataset.fields).length
    const cells = own.map((row) =>
      simple ? places!.map((at) => row.cells[at]) : pick((column) => row.cells[place.get(column)!]),
    )
    yield { cells, where: (index) => `${name} line ${own[index]!.line}` }
  }
  if (!places) throw new Error(`${name} is empty.`)
}

async function* ndjsonRows(
  dataset: DatasetFile,
  name: string,
  batches: AsyncIterable<CsvRow[]>,
  findings: Findings,
): Rows {
  for await (const rows of batches) {
    const read = rows.flatMap(({ line, cells }) => {
      const object = jsonObject(cells[0]!)
      if (!object) findings.error('bad_row', `${name} line ${line} is not a JSON object`)
      return object ? [{ line, object }] : []
    })
    const objects = read.map(({ object }) => object)
    yield objectBatch(dataset, objects, {}, (index) => `${name} line ${read[index]!.line}`)
  }
}

function jsonObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
