import type { AsyncBuffer } from 'hyparquet'
import type { Config } from '../../config/config.ts'
import { folderStore } from './folder-store.ts'

/** Where archived days are kept. A name is a path below it, such as m00/2026-01-31.parquet. */
export interface ArchiveStore {
  /** A folder for files that are being written. */
  draftFolder: string
  /** Stores a local file under a name, in place of any earlier one, and removes the local one. Durable once it resolves. */
  keep: (draft: string, name: string) => Promise<void>
  /** A stored file, read in ranges. */
  open: (name: string, bytes: number) => AsyncBuffer
  /** Succeeds also if there is no such file. */
  remove: (name: string) => Promise<void>
}

type Needs = Partial<
  Pick<Config, 'USAGE_ARCHIVE' | 'USAGE_ARCHIVE_S3_KEY_ID' | 'USAGE_ARCHIVE_S3_SECRET' | 'USAGE_ARCHIVE_S3_REGION'>
>

/** The archive that is configured; null: none. The client of S3 is loaded only where it is used. */
export async function openArchive(config: Needs): Promise<ArchiveStore | null> {
  const place = config.USAGE_ARCHIVE
  if (place === undefined) return null
  if (!/^https?:/.test(place)) return folderStore(place)
  const { s3Store } = await import('./s3-store.ts')
  return s3Store(place, {
    accessKeyId: config.USAGE_ARCHIVE_S3_KEY_ID ?? '',
    secretAccessKey: config.USAGE_ARCHIVE_S3_SECRET ?? '',
    region: config.USAGE_ARCHIVE_S3_REGION,
  })
}
