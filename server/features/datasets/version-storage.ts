import type { VersionFiles } from '../market-data/version-files.ts'

/** A file that was already written, in the draft folder. */
export interface StagedFile {
  path: string
  sha256: string
}

export const VERSION = /^\d{14}-[0-9a-f]{8}$/

/** What `versionStore` needs of a folder or a bucket. */
export interface VersionStorage {
  /** A folder for `content` that is written before its version is known. The caller removes it. */
  makeDraftFolder: (id: string) => Promise<string>
  /** Responses of HTTP sources are cached here, on this machine. */
  answersOf: (id: string) => string
  /** Complete versions, oldest first. */
  versions: (id: string) => Promise<string[]>
  files: (id: string, version: string) => VersionFiles
  /** The version that is complete once this resolves, and does not exist if it rejects. */
  add: (
    id: string,
    version: string,
    file: { name: string; content: Uint8Array | StagedFile },
    manifest: string,
  ) => Promise<void>
  replaceManifest: (id: string, version: string, manifest: string) => Promise<void>
  remove: (id: string, version: string) => Promise<void>
  /** The version to serve. */
  current: (id: string) => Promise<string | null>
  point: (id: string, version: string) => Promise<void>
  /** What is served, by id, with a mark that changes with every `point`. */
  served: () => Promise<{ id: string; version: string; mark: string }[]>
}
