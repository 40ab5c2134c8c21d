import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { z } from 'zod'
import type { datasetRoutes } from '#contract/operator/dataset-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { type DatasetFile, parseDatasetFile } from '../../datasets/dataset-file.ts'
import { type ImportOptions, importDataset, readDataset } from '../../datasets/import-dataset.ts'
import { publishedPlace } from '../../datasets/published-place.ts'

type Upload = z.output<typeof datasetRoutes.checkDataset.body>
type Checked = z.input<typeof datasetRoutes.checkDataset.data>

const FILE = 'upload.csv'

/** Reads an uploaded CSV as `npm run data -- validate` does, and stores nothing. Throws invalid_parameter for what cannot be read at all. */
export const checkUpload = (deps: Pick<Deps, 'config'>, upload: Upload): Promise<Checked> =>
  withUpload(deps, upload, async (dataset, options) => {
    const { report, data } = await readDataset(dataset, options)
    return { rows: report.rows, first: data.first, last: data.last, findings: report.findings }
  })

/** Imports an uploaded CSV. Returns id and version, which is not served yet. Throws invalid_parameter with the errors that block it. */
export const importUpload = (
  deps: Pick<Deps, 'config'>,
  upload: Upload,
): Promise<{ id: string; version: string; rows: number }> =>
  withUpload(deps, upload, async (dataset, options) => {
    const { report, version } = await importDataset(dataset, options)
    if (version) return { id: dataset.id, version, rows: report.rows }
    const errors = report.findings.filter(({ severity }) => severity === 'error')
    throw new AppError(
      'invalid_parameter',
      `This file has errors and cannot be published: ${errors.map(({ code, count }) => `${code} (${count})`).join(', ')}. Check the file to see them.`,
    )
  })

/** The source is the uploaded file, whatever the manifest says: others would let a browser run code or ask servers. */
async function withUpload<T>(
  { config }: Pick<Deps, 'config'>,
  { manifest, csv }: Upload,
  work: (dataset: DatasetFile, options: ImportOptions) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'finmeter-upload-'))
  try {
    await writeFile(join(folder, FILE), csv)
    const source = { type: 'file', path: FILE, format: 'csv' }
    const dataset = parseDatasetFile({ ...manifest, source }, join(folder, 'The manifest'))
    return await work(dataset, { published: publishedPlace(config), env: {}, now: Date.now, progress: () => {} })
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error) || error.constructor !== Error || 'code' in error)
      throw error
    // Names of files on this machine are no news for the person who uploaded one.
    throw new AppError('invalid_parameter', error.message.replaceAll(`${folder}/`, ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
