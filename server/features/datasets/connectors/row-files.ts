import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Row } from './connector.ts'

const SEPARATOR = '~'
const fileOf = (part: string, dataset: string) => `${part}${SEPARATOR}${dataset}.ndjson.gz`

/** The files with rows of a dataset, as a pattern. */
export const filesOf = (directory: string, dataset: string): string => join(directory, fileOf('*', dataset))

/** Writes the rows of a part, by dataset. A reader sees all of a file or nothing. */
export async function writePart(directory: string, part: string, rows: ReadonlyMap<string, Row[]>): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const [dataset, list] of rows) {
    const path = join(directory, fileOf(part, dataset))
    const draft = `${path}.draft`
    const lines = Readable.from(list.map((row) => `${JSON.stringify(row)}\n`))
    await pipeline(lines, createGzip(), createWriteStream(draft))
    await rename(draft, path)
  }
}

/** Links the files of `from`, without those of the parts in `without`, into `to`. */
export async function linkParts(from: string, to: string, without: ReadonlySet<string> = new Set()): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from).catch(() => []))
    if (name.endsWith('.ndjson.gz') && !without.has(name.slice(0, name.indexOf(SEPARATOR))))
      // Not every file system has links.
      await link(join(from, name), join(to, name)).catch(() => copyFile(join(from, name), join(to, name)))
}

/** Puts `staged` in the place of `parts`. */
export async function replaceParts(staged: string, parts: string): Promise<void> {
  const old = `${parts}.old`
  await rm(old, { recursive: true, force: true })
  await rename(parts, old).catch(() => {})
  await rename(staged, parts)
  await rm(old, { recursive: true, force: true })
}

/** Every row of a dataset, part by part in name order. */
export async function* rowsOf(directory: string, dataset: string): AsyncIterable<Row> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(fileOf('', dataset))).sort()
  for (const name of names) {
    const lines = createInterface({ input: createReadStream(join(directory, name)).pipe(createGunzip()) })
    for await (const line of lines) yield JSON.parse(line) as Row
  }
}
