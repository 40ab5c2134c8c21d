import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { allBars } from '../market-data/bar-store/testing/all-bars.ts'
import { loadPart } from '../market-data/dataset-part.ts'
import { importDataset } from './import-dataset.ts'
import { type DatasetFolder, datasetFolder } from './testing/dataset-folder.ts'
import { versionStore } from './version-store.ts'

const fixtures = join(import.meta.dirname, 'fixtures/written-by-others')
const files = readdirSync(fixtures).filter((name) => /\.(csv|parquet)$/.test(name))
/** Days since 1970 of January 2 and 3, 2024. */
const [SECOND, THIRD] = [19_724, 19_725]

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

async function imported(name: string) {
  await folder.file(name, await readFile(join(fixtures, name)))
  const dataset = await folder.bars({ source: { type: 'file', path: name } })
  const { version, report } = await importDataset(dataset, folder.options)
  if (!version) throw new Error(JSON.stringify(report.findings))
  const { files, manifest } = await versionStore(folder.options.published).read(dataset.id, version)
  const part = await loadPart(files, manifest)
  if (part.kind !== 'bars') throw new Error(part.kind)
  return Promise.all(
    part.symbols.map(async ({ manifest: { symbol }, series }) => {
      const { times, open, high, low, close, volume } = await allBars(series)
      return { symbol, times: [...times], bars: [open, high, low, close, volume].map((column) => [...column]) }
    }),
  )
}

const readable = files.filter((name) => !name.includes('lz4'))

test.each(readable)('%s is read unchanged', async (name) => {
  expect(await imported(name)).toEqual([
    { symbol: 'OTH', times: [SECOND], bars: [[1], [1], [1], [1], [0]] },
    {
      symbol: 'OWN',
      times: [SECOND, THIRD],
      bars: [
        [10, 11],
        [12, 13],
        [9, 10],
        [11, 12],
        [100, 200],
      ],
    },
  ])
})

test('the files are from DuckDB and pandas, in every compression that they offer', () => {
  expect(readable.filter((name) => name.startsWith('duckdb')).length).toBe(5)
  expect(readable.filter((name) => name.startsWith('pandas')).length).toBe(9)
})

test('the error for an unsupported compression lists the supported ones', async () => {
  await expect(imported('pandas-lz4.parquet')).rejects.toThrow(
    'pandas-lz4.parquet is compressed with LZ4, which cannot be read; write it with snappy, gzip, zstd, brotli or none.',
  )
})
