import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { temporaryFolder } from '../../../testing/temporary-folder.ts'
import { type DatasetFile, readDatasetFile } from '../dataset-file.ts'
import type { ImportOptions } from '../import-dataset.ts'

export interface DatasetFolder {
  path: string
  options: ImportOptions & { published: string }
  /** Writes a file next to the manifests. */
  file: (name: string, content: string | Uint8Array) => Promise<string>
  /** A bars manifest for `prices.csv` with these differences. */
  bars: (changes?: Record<string, unknown>) => Promise<DatasetFile>
  manifest: (content: Record<string, unknown>) => Promise<DatasetFile>
}

export const plainBars = {
  id: 'own-prices',
  name: 'Own prices',
  kind: 'bars',
  source: { type: 'file', path: 'prices.csv' },
  fields: { symbol: 'symbol', date: 'date', open: 'open', high: 'high', low: 'low', close: 'close', volume: 'volume' },
  currency: 'USD',
  license: 'our own',
  publisher: 'us',
  redistribution: 'internal',
}

/** An operator's folder, removed as `temporaryFolder` is. */
export function datasetFolder(): DatasetFolder {
  const path = temporaryFolder()
  const options: DatasetFolder['options'] = {
    published: join(path, 'published'),
    env: {},
    now: Date.now,
    progress: () => {},
  }
  const file = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(path, name), content)
    return join(path, name)
  }
  const manifest = async (content: Record<string, unknown>) =>
    readDatasetFile(await file(`${String(content.id)}.yaml`, stringify(content)))
  return { path, options, file, manifest, bars: (changes = {}) => manifest({ ...plainBars, ...changes }) }
}
