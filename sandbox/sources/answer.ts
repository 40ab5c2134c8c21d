import type { IncomingHttpHeaders } from 'node:http'
import type { SourceFiles } from './source-files.ts'

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** The body comes in ten pieces, with this pause between them. */
  pauseMs?: number
  /** The connection ends in the middle of the body. */
  breaks?: boolean
}

export interface Asked {
  method: string
  /** As the source would see it. */
  url: URL
  headers: IncomingHttpHeaders
  body: string
}

/** How one source answers; null: no such path. */
export type Source = (asked: Asked, files: SourceFiles) => Answer | null

const LAST_MODIFIED = 'Fri, 20 Nov 2026 15:00:00 GMT'

/** An answer of a source that honors If-Modified-Since. */
export function dated({ headers }: Asked, answer: Answer): Answer {
  const headersOut = { ...answer.headers, 'last-modified': LAST_MODIFIED }
  return headers['if-modified-since'] === LAST_MODIFIED
    ? { status: 304, headers: headersOut }
    : { ...answer, headers: headersOut }
}
