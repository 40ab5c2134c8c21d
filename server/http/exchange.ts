import type { IncomingHttpHeaders } from 'node:http'
import type { HttpAnswer } from './answer.ts'

/** What a lane reads of a request; Node's `IncomingMessage` is one. */
export interface LaneRequest {
  method?: string | undefined
  /** May be replaced by one without secrets. */
  url?: string | undefined
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

/** One request and its one answer, whatever carries them. */
export interface Exchange {
  readonly request: LaneRequest
  /** Reads the whole body as UTF-8. Never calls back when the caller hangs up before its end. */
  readText: (done: (text: string) => void) => void
  /** Sends the answer, with the headers that every answer has. A caller who is gone gets nothing. */
  send: (answer: HttpAnswer) => void
}

/** Takes a request that it can answer whole; false leaves it, untouched but for its URL, to the framework. */
export type RawLane = (exchange: Exchange) => boolean
