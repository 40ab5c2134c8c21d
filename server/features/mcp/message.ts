import type { IncomingHttpHeaders } from 'node:http'
import type { CallRecord } from '../../http/call-record.ts'
import type { Presented } from '../keys/credentials.ts'

/**
 * One HTTP request to the MCP endpoint, independent of the framework. It has no URL, so nothing here can print a key
 * from it.
 */
export interface McpRequest {
  method: string
  headers: IncomingHttpHeaders
  /** Empty for methods without one. */
  body: string
  presented: Presented
  record: CallRecord
  /** The URL's `tools` parameter. */
  tools?: string | undefined
  /** The client chose the endpoint where calls can be paid one by one. */
  pays?: boolean
  /** The client chose the address that says nothing about buying. */
  purchase?: 'off' | undefined
  /** Calls `listener` when the client disconnects before it has its answer. Returns a function that ends this. */
  onGone?: ((listener: () => void) => () => void) | undefined
}

export interface McpReply {
  status: number
  headers: Record<string, string>
  /** A stream for answers made of events; the sender cancels it when the client disconnects. */
  body: string | ReadableStream<Uint8Array>
}

export type ReplyHeaders = Record<string, string>

export const JSON_HEADERS: ReplyHeaders = { 'content-type': 'application/json', 'cache-control': 'private, no-store' }

/** Implementation-defined JSON-RPC code for refusals before any message is read, as in the SDK. */
const SERVER_ERROR = -32000

/** A JSON-RPC error without a message: the request never reached the protocol. `code` is from the error catalog. */
export function httpError(status: number, message: string, code: string, headers: ReplyHeaders = {}): McpReply {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: SERVER_ERROR, message, data: { code } }, id: null })
  return { status, headers: { ...JSON_HEADERS, ...headers }, body }
}
