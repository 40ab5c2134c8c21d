import { join } from 'node:path'
import type { SharedSecret } from './handshake.ts'

/** How a process of several on one machine finds the one that commits for a bucket. */
export interface Forwarding {
  /** The socket of this process. */
  path: string
  /** The socket of the process that commits for the bucket; null: this one. */
  pathOf: (bucket: number) => string | null
  shared: SharedSecret
}

/** Buckets are divided among the processes by number. `number` is that of this process, from 0 to `count` - 1. */
export function forwardingOf(dir: string, number: number, count: number, shared: SharedSecret): Forwarding {
  const path = (of: number): string => join(dir, `commits-${of}.sock`)
  return {
    path: path(number),
    pathOf: (bucket) => (bucket % count === number ? null : path(bucket % count)),
    shared,
  }
}
