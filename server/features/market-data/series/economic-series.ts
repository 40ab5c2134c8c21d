import { parseDay } from '../dates.ts'
import { readTable } from '../load-dataset.ts'
import type { Manifest, SeriesManifest } from '../manifest.ts'
import type { VersionFiles } from '../version-files.ts'

/** Monthly observations, oldest first; a month is dated by its first day. Months without a value are absent. */
export interface EconomicSeries {
  id: string
  name: string
  unit: string
  aliases: string[]
  /** The series is a rate: units of this currency for one of the manifest's `base`. */
  currency?: string | undefined
  manifest: SeriesManifest
  datasetVersion: string
  times: Int32Array
  values: Float64Array
}

/** Every series of one dataset. Throws when the file does not match its manifest. */
export async function loadSeries(files: VersionFiles, manifest: SeriesManifest): Promise<EconomicSeries[]> {
  const { header, rows } = await readTable(files, manifest)
  return manifest.series.map(({ column, ...series }) => {
    const at = header.indexOf(column)
    if (at === -1) throw new Error(`${manifest.file} has no column ${column}.`)
    const held = rows.filter((cells) => cells[at] !== '')
    return {
      ...series,
      manifest,
      datasetVersion: versionOf(manifest),
      times: Int32Array.from(held, ([date]) => parseDay(date!)),
      values: Float64Array.from(held, (cells) => Number(cells[at])),
    }
  })
}

/** Changes with the data; part of every cursor and answer. */
export const versionOf = ({ id, sha256 }: Manifest): string => `${id}@${sha256.slice(0, 8)}`
