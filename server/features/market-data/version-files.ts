import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openRangedFile, type RangedFile } from './bar-store/ranged-file.ts'

/** The files of one dataset, wherever they are stored. */
export interface VersionFiles {
  /** Where a file is, for messages. */
  placeOf: (name: string) => string
  whole: (name: string) => Promise<Buffer>
  /** A file that is read in parts. */
  open: (name: string) => Promise<RangedFile>
}

export function folderFiles(directory: string): VersionFiles {
  const placeOf = (name: string) => join(directory, name)
  return {
    placeOf,
    whole: (name) => readFile(placeOf(name)),
    open: async (name) => openRangedFile(placeOf(name), (await stat(placeOf(name))).size),
  }
}
