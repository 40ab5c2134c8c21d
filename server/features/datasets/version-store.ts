import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Manifest, manifest as manifestSchema } from '../market-data/manifest.ts'
import type { VersionFiles } from '../market-data/version-files.ts'
import { bucketStorage } from './bucket-storage.ts'
import { folderStorage } from './folder-storage.ts'
import type { PublishedPlace } from './published-place.ts'
import type { StagedFile } from './version-storage.ts'

const KEPT_VERSIONS = 2

export interface PublishedVersion {
  id: string
  version: string
  files: VersionFiles
  manifest: Manifest
}

/** Versions of datasets, of which one is served. */
export function versionStore(place: PublishedPlace) {
  const storage = typeof place === 'string' ? folderStorage(place) : bucketStorage(place)
  const { versions, current, answersOf, served } = storage
  const read = async (id: string, version: string): Promise<PublishedVersion> => {
    const files = storage.files(id, version)
    const manifest = manifestSchema.parse(JSON.parse((await files.whole('manifest.json')).toString('utf8')))
    return { id, version, files, manifest }
  }

  return {
    versions,
    current,
    answersOf,
    /** What is served, by id, with a mark that changes whenever the pointer does. */
    served,
    read,

    /** A path for a file that is written before its version is known. What is still there afterwards is removed. */
    async withDraft<T>(id: string, work: (path: string) => Promise<T>): Promise<T> {
      const directory = await storage.makeDraftFolder(id)
      try {
        return await work(join(directory, 'content'))
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },

    /** Writes a version, which is not served yet. A staged file is moved. */
    async write(
      id: string,
      content: Uint8Array | StagedFile,
      manifestOf: (sha256: string) => Manifest,
    ): Promise<string> {
      const sha256 = content instanceof Uint8Array ? createHash('sha256').update(content).digest('hex') : content.sha256
      const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
      const version = `${stamp}-${sha256.slice(0, 8)}`
      const manifest = manifestOf(sha256)
      await storage.add(id, version, { name: manifest.file, content }, JSON.stringify(manifest))
      return version
    },

    /**
     * Serves `version` (absent: the newest) from now on, and removes all but the last two. Throws when there is none.
     */
    async publish(id: string, version?: string): Promise<PublishedVersion> {
      const all = await versions(id)
      const chosen = version ?? all.at(-1)
      if (!chosen || !all.includes(chosen))
        throw new Error(
          version
            ? `${id} has no version ${version}. Available: ${all.join(', ') || 'none'}.`
            : `${id} has no version yet; import it first.`,
        )
      const published = await read(id, chosen)
      await storage.point(id, chosen)
      for (const old of all.filter((one) => one !== chosen).slice(0, -(KEPT_VERSIONS - 1)))
        await storage.remove(id, old)
      return published
    },

    /** Records that the served version was still what the source has. Returns false if none is served. */
    async confirm(id: string, retrievedAt: string): Promise<boolean> {
      const version = await current(id)
      if (!version) return false
      const { manifest } = await read(id, version)
      await storage.replaceManifest(id, version, JSON.stringify({ ...manifest, retrieved_at: retrievedAt }))
      await storage.point(id, version)
      return true
    },
  }
}
