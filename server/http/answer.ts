import type { Readable } from 'node:stream'

/** A complete response, independent of any framework: a surface creates it, and any transport can write it. Header names in lower case. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  /** A stream produces its content while it is sent. */
  body: string | Buffer | Readable
  /** Called once the body has left this process, or never will. Harmless to call again. */
  sent?: () => void
}
