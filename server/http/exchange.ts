import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpAnswer } from './answer.ts'

/** The parts of a request that a lane reads. Node's `IncomingMessage` has them. */
export interface LaneRequest {
  method?: string | undefined
  /** May be replaced by a URL without secrets. */
  url?: string | undefined
  headers: IncomingHttpHeaders
  socket: Partial<Pick<Socket, 'remoteAddress' | 'destroyed' | 'readableEnded' | 'once' | 'off'>>
}

/** One request and its response, independent of the transport. */
export interface Exchange {
  readonly request: LaneRequest
  /** Reads the whole body as UTF-8. Never calls back if the client disconnects before the end. */
  readText: (done: (text: string) => void) => void
  /** Sends the response, with the headers of every response. Does nothing if the client has disconnected. */
  send: (answer: HttpAnswer) => void
}

/** Returns true if it answers the request. False leaves it to the framework, unchanged except for its URL. */
export type RawLane = (exchange: Exchange) => boolean
