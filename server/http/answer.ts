import type { Readable } from 'node:stream'

/** A whole answer, free of any framework: what a surface decides once and any transport writes. Header names in lower case. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  /** A stream is made while it is sent. */
  body: string | Buffer | Readable
}
