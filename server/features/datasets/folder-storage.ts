import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderFiles } from '../market-data/version-files.ts'
import { VERSION, type VersionStorage } from './version-storage.ts'

/**
 * Versions on disk: `<root>/<id>/<version>/` has the data and `manifest.json`; the file `<root>/<id>/current` names the
 * version to serve. What is replaced is written under a temporary name and renamed, so a reader sees the old or the new.
 */
export function folderStorage(root: string): VersionStorage {
  const pointer = (id: string) => join(root, id, 'current')
  const replace = async (path: string, text: string) => {
    const draft = `${path}.${process.pid}.tmp`
    await writeFile(draft, text)
    await rename(draft, path)
  }
  const current = async (id: string): Promise<string | null> => {
    const text = (await readFile(pointer(id), 'utf8').catch(() => '')).trim()
    return VERSION.test(text) ? text : null
  }
  return {
    current,
    answersOf: (id) => join(root, id, 'answers'),
    async makeDraftFolder(id) {
      await mkdir(join(root, id), { recursive: true })
      return mkdtemp(join(root, id, 'draft-'))
    },
    versions: async (id) => (await readdir(join(root, id)).catch(() => [])).filter((name) => VERSION.test(name)).sort(),
    files: (id, version) => folderFiles(join(root, id, version)),
    async add(id, version, { name, content }, manifest) {
      const directory = join(root, id, version)
      const draft = `${directory}.${process.pid}.draft`
      await mkdir(draft, { recursive: true })
      const path = join(draft, name)
      await (content instanceof Uint8Array ? writeFile(path, content) : rename(content.path, path))
      await writeFile(join(draft, 'manifest.json'), manifest)
      await rm(directory, { recursive: true, force: true })
      await rename(draft, directory)
    },
    replaceManifest: (id, version, manifest) => replace(join(root, id, version, 'manifest.json'), manifest),
    remove: (id, version) => rm(join(root, id, version), { recursive: true, force: true }),
    point: (id, version) => replace(pointer(id), `${version}\n`),
    async served() {
      const ids = await readdir(root).catch(() => [])
      const found = await Promise.all(
        ids.sort().map(async (id) => {
          const version = await current(id)
          if (!version) return []
          return [{ id, version, mark: `${version} ${(await stat(pointer(id))).mtimeMs}` }]
        }),
      )
      return found.flat()
    },
  }
}
