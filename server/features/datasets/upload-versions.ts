import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { BucketPlace } from './published-place.ts'
import { versionStore } from './version-store.ts'

/**
 * Copies what is served from a folder of versions to a bucket, and serves it there. A dataset that the bucket already
 * serves stays: it may be newer. Returns a line for each dataset. Throws for a damaged file; datasets before it are done.
 */
export async function uploadVersions(folder: string, bucket: BucketPlace): Promise<string[]> {
  const [from, to] = [versionStore(folder), versionStore(bucket)]
  const lines: string[] = []
  for (const { id, version } of await from.served()) {
    if (await to.current(id)) {
      lines.push(`${id}: the bucket already serves it; nothing was copied.`)
      continue
    }
    const { files, manifest } = await from.read(id, version)
    const path = files.placeOf(manifest.file)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash)
    if (hash.digest('hex') !== manifest.sha256)
      throw new Error(`${path} is damaged: its SHA-256 is not in its manifest.`)
    const copied = await to.write(id, { path, sha256: manifest.sha256 }, () => manifest)
    await to.publish(id, copied)
    lines.push(`${id} ${copied} is served from the bucket: ${manifest.rows.toLocaleString('en-US')} rows.`)
  }
  return lines.length > 0 ? lines : [`${folder} has no published datasets.`]
}
