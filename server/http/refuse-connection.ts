import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorAnswer } from './error-answer.ts'
import { AppError } from './errors.ts'
import { fieldLines } from './field-lines.ts'

/** How long a refused client may take to read why and close. */
export const GOODBYE_MS = 2_000

/** Sends `error` on a connection without a readable request, in the form of the envelope, and closes the connection. */
export function refuseConnection(socket: Socket, error: AppError, constant: Readonly<Record<string, string>>): void {
  const { status, headers, body } = errorAnswer(error, '', randomUUID())
  const fields = fieldLines({ ...constant, ...headers, 'content-length': String(Buffer.byteLength(body as string)) })
  socket.on('error', () => {})
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}Connection: close\r\n\r\n${body}`)
  // Unread bytes at closing time would reset the connection, and the client might lose the answer.
  socket.resume()
  const goodbye = setTimeout(() => socket.destroy(), GOODBYE_MS).unref()
  socket.once('close', () => clearTimeout(goodbye))
}

/**
 * Answers what Node's parser cannot read (the server's `clientError` event), after the responses to the requests before it: an
 * error during one would be read as part of it, or as the response to another request. `refused` receives the status of each.
 */
export function clientErrorHandler(
  constant: Readonly<Record<string, string>>,
  refused?: (method: string, status: number) => void,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  // Node reports each further chunk again.
  const seen = new WeakSet<Socket>()
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (seen.has(socket)) return
    seen.add(socket)
    const refuse = (): void => {
      // The response whose turn it is; Node's own handler of this event reads the same field.
      const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
      // The request that cannot be read to its end gets no other response than this one.
      if (current?.req.complete) current.once('close', () => setImmediate(refuse))
      else if (current?.headersSent) socket.destroy()
      else if (socket.writable) {
        const refusal = unreadable(error.code)
        refuseConnection(socket, refusal, constant)
        refused?.('', refusal.status)
      }
    }
    refuse()
  }
}

function unreadable(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout')
  if (code === 'HPE_INVALID_VERSION' || code === 'HPE_PAUSED_H2_UPGRADE')
    return new AppError('http_version_not_supported')
  return new AppError('malformed_request')
}
