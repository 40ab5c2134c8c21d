import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { bucketSchema } from '../../db/bucket-schema.ts'

/**
 * Batches that this process, or a killed one before it, answered with 503 while their outcome was unknown: one empty
 * file each, created before the response and removed when the batch is voided. Not in PostgreSQL, which was
 * unreachable.
 */
export interface GivenUpBatches {
  /** Left by earlier processes. Some may belong to a process that still runs: voiding twice changes nothing. */
  left: () => GivenUp[]
  note: (batch: GivenUp) => void
  forget: (batch: GivenUp) => void
}

/** A void works only in the bucket to which the batch was sent. */
export interface GivenUp {
  bucket: number
  batch: string
}

// A name without a bucket is of a release before buckets.
const FILE = /^(?:m(\d{2,5})\.)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const fileOf = ({ bucket, batch }: GivenUp): string => `${bucketSchema(bucket)}.${batch}`

/**
 * `dir` is created with the first file. A folder that cannot be written is logged: then only this process remembers.
 */
export function givenUpBatches(dir: string, log: Logger): GivenUpBatches {
  const attempt = (what: () => void): void => {
    try {
      what()
    } catch (error) {
      log.warn({ dir, error: (error as Error).message }, 'batches to void are remembered by this process only')
    }
  }
  return {
    left() {
      try {
        return readdirSync(dir).flatMap((name) => {
          const [, bucket = '0', batch] = FILE.exec(name) ?? []
          return batch === undefined ? [] : [{ bucket: Number(bucket), batch }]
        })
      } catch {
        return []
      }
    },
    note: (batch) =>
      attempt(() => {
        mkdirSync(dir, { recursive: true })
        const file = openSync(join(dir, fileOf(batch)), 'w')
        fsyncSync(file)
        closeSync(file)
      }),
    forget: (batch) =>
      attempt(() => {
        rmSync(join(dir, fileOf(batch)), { force: true })
        if (batch.bucket === 0) rmSync(join(dir, batch.batch), { force: true })
      }),
  }
}
