import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { versionStore } from '../features/datasets/version-store.ts'
import type { Manifest } from './manifest.ts'
import { storeFile } from './store-file.ts'

const ATTEMPTS = 5

/**
 * Copies the served version of each published dataset below `root` into the backup. The database does not refer to them,
 * so they need not be from the same moment.
 */
export async function storeDatasets(root: string, backup: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = []
  for (const { id } of await versionStore(root).served()) files.push(...(await storeServed(root, id, backup)))
  return files
}

/** Tries again if two new versions were published meanwhile, which removes the one that was being copied. */
async function storeServed(root: string, id: string, backup: string): Promise<Manifest['files']> {
  for (let attempt = 1; ; attempt++) {
    const version = await versionStore(root).current(id)
    if (!version) return []
    try {
      const files: Manifest['files'] = []
      const add = async (name: string, content: Readable) => {
        const path = `datasets/${id}/${name}`
        // A failed attempt leaves files that no manifest names, so each attempt uses new names.
        files.push({ path, ...(await storeFile(backup, `files/${attempt}/${path}`, content)) })
      }
      const names = await readdir(join(root, id, version))
      for (const name of names) await add(`${version}/${name}`, createReadStream(join(root, id, version, name)))
      await add('current', Readable.from([Buffer.from(`${version}\n`)]))
      if ((await readdir(join(root, id, version))).length === names.length) return files
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error
    }
  }
}
