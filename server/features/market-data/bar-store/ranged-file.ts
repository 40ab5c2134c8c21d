import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'

/** A published file that is read in parts. Storage elsewhere, such as a bucket, implements the same two members. */
export interface RangedFile {
  readonly size: number
  /** Exactly `length` bytes from `offset`. Rejects when the file is shorter. */
  read: (offset: number, length: number) => Promise<Uint8Array>
}

/** The system reads beside each other what its four threads can, so more would only queue there, out of sight. */
const READS_AT_ONCE = 4

let underWay = 0
const waiting: (() => void)[] = []

const readAt = promisify(read)

/**
 * A file closes when nothing can read it anymore. Calls and streams keep the version that they began with, and a version
 * may be deleted meanwhile, so there is no earlier moment that is safe.
 */
const closing = new FinalizationRegistry<number>((descriptor) => close(descriptor))

export async function openRangedFile(path: string, size: number): Promise<RangedFile> {
  const descriptor = await promisify(open)(path, 'r')
  const file: RangedFile = {
    size,
    async read(offset, length) {
      if (underWay >= READS_AT_ONCE) await new Promise<void>((start) => waiting.push(start))
      else underWay += 1
      try {
        const bytes = new Uint8Array(length)
        for (let at = 0; at < length; ) {
          const { bytesRead } = await readAt(descriptor, bytes, at, length - at, offset + at)
          if (bytesRead === 0) throw new Error(`${path} ends before byte ${offset + length}.`)
          at += bytesRead
        }
        // The file stays reachable, and so open, until here.
        if (offset + length > file.size)
          throw new Error(`${path} has ${file.size} bytes; ${offset + length} were read.`)
        return bytes
      } finally {
        const next = waiting.shift()
        if (next) next()
        else underWay -= 1
      }
    },
  }
  closing.register(file, descriptor)
  return file
}
