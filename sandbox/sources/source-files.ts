import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Recorded answers: in `own/<connector>/fixtures`, and before them in `extra/<folder>` if there is one. */
export interface SourceFiles {
  /** The text of a file; null if there is none. Packed files (`.gz`) are unpacked. */
  read: (connector: string, name: string) => Buffer | null
  /** The names in a folder, without `.gz`. */
  list: (connector: string, folder: string) => string[]
}

/** Where a folder of answers keeps those of a connector, if not under its name. */
const folders: Record<string, string> = { sec: 'edgar' }

export function sourceFiles(own: string, extra: string | null): SourceFiles {
  const placesOf = (connector: string) => [
    ...(extra ? [join(extra, connector), join(extra, folders[connector] ?? connector)] : []),
    join(own, connector, 'fixtures'),
  ]
  return {
    read(connector, name) {
      for (const place of placesOf(connector))
        for (const path of [join(place, name), join(place, `${name}.gz`)])
          if (existsSync(path)) return path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)
      return null
    },
    list(connector, folder) {
      const names = placesOf(connector).flatMap((place) =>
        existsSync(join(place, folder)) ? readdirSync(join(place, folder)) : [],
      )
      return [...new Set(names.map((name) => name.replace(/\.gz$/, '')))].sort()
    },
  }
}
