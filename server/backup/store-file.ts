import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface StoredFile {
  /** Its path in the backup. */
  file: string
  sha256: string
  bytes: number
}

/** Writes what `parts` produce to `file` below `folder`, readable only by this user, and flushes it to disk. */
export async function storeFile(
  folder: string,
  file: string,
  ...parts: [NodeJS.ReadableStream, ...Transform[]]
): Promise<StoredFile> {
  await mkdir(dirname(join(folder, file)), { recursive: true, mode: 0o700 })
  const seen = hashing()
  await pipeline([
    ...parts,
    seen.through,
    createWriteStream(join(folder, file), { mode: 0o600, flags: 'wx', flush: true }),
  ])
  return { file, ...seen.result() }
}

/** A pass-through stream; `result` is the hash and size of its data. */
export function hashing(): { through: Transform; result: () => { sha256: string; bytes: number } } {
  const hash = createHash('sha256')
  let bytes = 0
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return { through, result: () => ({ sha256: hash.digest('hex'), bytes }) }
}

/** Flushes the names in a folder to disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
