import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { type S3Access, s3Bucket } from '../../net/s3-bucket.ts'
import type { ArchiveStore } from './archive-store.ts'

const TIMEOUT_MS = 60_000
const RETRIES = 3

/** An archive in a bucket of S3, or of a server that speaks its API. `place`: the address of the bucket, and a path in it. */
export function s3Store(place: string, access: S3Access): ArchiveStore {
  const bucket = s3Bucket(place, access, { timeoutMs: TIMEOUT_MS, retries: RETRIES })
  return {
    draftFolder: tmpdir(),
    async keep(draft, name) {
      await bucket.putFile(name, draft)
      await rm(draft)
    },
    open: (name, bytes) => ({
      byteLength: bytes,
      async slice(start, end = bytes) {
        return end <= start ? new ArrayBuffer(0) : bucket.range(name, start, end - start)
      },
    }),
    remove: (name) => bucket.remove(name),
  }
}
