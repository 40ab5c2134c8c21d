import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const isBackup = (folder: string): boolean => existsSync(join(folder, 'manifest.json'))

/** The complete backups in a folder, newest first. Their names begin with their time. */
async function listBackups(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^finmeter-\d{8}T\d{6}Z$/.test(name))
  return names
    .sort()
    .reverse()
    .map((name) => resolve(folder, name))
    .filter(isBackup)
}

/** The backup at `path`, or the newest complete one in the folder `path`. Throws a sentence if there is none. */
export async function findBackup(path: string): Promise<string> {
  if (isBackup(resolve(path))) return resolve(path)
  const [newest] = await listBackups(path)
  if (!newest) throw new Error(`There is no backup in ${resolve(path)}.`)
  return newest
}

/** Deletes the complete backups in a folder except the newest `keep`. Returns the paths of the deleted ones. */
export async function deleteOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep)
  for (const path of old) await rm(path, { recursive: true })
  return old
}
