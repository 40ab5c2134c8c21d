import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'

/** A published file that is read in parts. */
export interface RangedFile {
  readonly size: number
  /** Exactly `length` bytes from `offset`. Rejects when the file is shorter. */
  read: (offset: number, length: number) => Promise<Uint8Array>
}

/** Does work when fewer than `most` others are under way; the rest waits in order. */
export function inTurn(most: number) {
  let underWay = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (underWay >= most) await new Promise<void>((start) => waiting.push(start))
    else underWay += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }
}

/** The system reads beside each other what its four threads can, so more would only queue there, out of sight. */
const fromDisk = inTurn(4)
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
    read: (offset, length) =>
      fromDisk(async () => {
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
      }),
  }
  closing.register(file, descriptor)
  return file
}
