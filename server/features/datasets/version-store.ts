import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Manifest, manifest as manifestSchema } from '../market-data/manifest.ts'

/** Where published versions are stored. Instances behind one load balancer share this directory. */
export const publishedRoot = ({ FINMETER_DATA_DIR }: { FINMETER_DATA_DIR: string }): string =>
  join(resolve(FINMETER_DATA_DIR), 'datasets')

const KEPT_VERSIONS = 2
const VERSION = /^\d{14}-[0-9a-f]{8}$/

/** A file that was already written, in the directory of versions. */
export interface StagedFile {
  path: string
  sha256: string
}

export interface PublishedVersion {
  id: string
  version: string
  directory: string
  manifest: Manifest
}

/**
 * Versions of datasets on disk: `<root>/<id>/<version>/` contains the data and `manifest.json`; the file
 * `<root>/<id>/current` names the version to serve. A version is written under a temporary name first, and `current` is
 * replaced by renaming, so a reader sees the old version or the new one.
 */
export function versionStore(root: string) {
  const pointer = (id: string) => join(root, id, 'current')
  const versions = async (id: string): Promise<string[]> =>
    (await readdir(join(root, id)).catch(() => [])).filter((name) => VERSION.test(name)).sort()
  const current = async (id: string): Promise<string | null> => {
    const text = await readFile(pointer(id), 'utf8').catch(() => '')
    return VERSION.test(text.trim()) ? text.trim() : null
  }
  const read = async (id: string, version: string): Promise<PublishedVersion> => {
    const directory = join(root, id, version)
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')))
    return { id, version, directory, manifest }
  }

  return {
    versions,
    current,
    answersOf: (id: string) => join(root, id, 'answers'),

    /** A path for a file that is written before its version is known. What is still there afterwards is removed. */
    async withDraft<T>(id: string, work: (path: string) => Promise<T>): Promise<T> {
      await mkdir(join(root, id), { recursive: true })
      const directory = await mkdtemp(join(root, id, 'draft-'))
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
      const directory = join(root, id, version)
      const draft = `${directory}.${process.pid}.draft`
      await mkdir(draft, { recursive: true })
      const manifest = manifestOf(sha256)
      const path = join(draft, manifest.file)
      await (content instanceof Uint8Array ? writeFile(path, content) : rename(content.path, path))
      await writeFile(join(draft, 'manifest.json'), JSON.stringify(manifest))
      await rm(directory, { recursive: true, force: true })
      await rename(draft, directory)
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
      const draft = `${pointer(id)}.${process.pid}.tmp`
      await writeFile(draft, `${chosen}\n`)
      await rename(draft, pointer(id))
      for (const old of all.filter((one) => one !== chosen).slice(0, -(KEPT_VERSIONS - 1)))
        await rm(join(root, id, old), { recursive: true, force: true })
      return published
    },

    /** Records that the served version was still what the source has. Returns false if none is served. */
    async confirm(id: string, retrievedAt: string): Promise<boolean> {
      const version = await current(id)
      if (!version) return false
      const { directory, manifest } = await read(id, version)
      const draft = join(directory, `manifest.${process.pid}.tmp`)
      await writeFile(draft, JSON.stringify({ ...manifest, retrieved_at: retrievedAt }))
      await rename(draft, join(directory, 'manifest.json'))
      const pointerDraft = `${pointer(id)}.${process.pid}.tmp`
      await writeFile(pointerDraft, `${version}\n`)
      await rename(pointerDraft, pointer(id))
      return true
    },

    /** What is served, by id, with a marker that changes whenever the pointer does. */
    async served(): Promise<{ id: string; version: string; changedAtMs: number }[]> {
      const ids = await readdir(root).catch(() => [])
      const found = await Promise.all(
        ids.sort().map(async (id) => {
          const version = await current(id)
          if (!version) return []
          const { mtimeMs } = await stat(pointer(id))
          return [{ id, version, changedAtMs: mtimeMs }]
        }),
      )
      return found.flat()
    },

    read,
  }
}
