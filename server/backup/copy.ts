import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import type { ClientBase, Submittable } from 'pg'

/** The members of pg's connection for COPY that its types lack. */
interface CopyConnection {
  stream: Writable & Readable
  query: (text: string) => void
  sendCopyFromChunk: (chunk: Buffer) => void
  endCopyFrom: () => void
  sendCopyFail: (reason: string) => void
}

const CHUNK_BYTES = 1 << 16
const rowsOf = ({ text }: { text: string }): number => Number(/^COPY (\d+)$/.exec(text)?.[1])

/** The output of a `copy ... to stdout` and, once it has ended, the number of rows. Applies back pressure. */
export function copyOut(client: ClientBase, text: string): { stream: Readable; rows: () => number } {
  let connection: CopyConnection
  let rows = 0
  // The rows arrive one at a time, in a buffer that is reused: collect them in our own.
  let gathered = Buffer.allocUnsafe(CHUNK_BYTES)
  let filled = 0
  const stream = new Readable({ read: () => void connection?.stream.resume() })
  const flush = (): void => {
    if (filled === 0) return
    if (!stream.push(gathered.subarray(0, filled))) connection.stream.pause()
    gathered = Buffer.allocUnsafe(CHUNK_BYTES)
    filled = 0
  }
  const query = {
    ...unexpected,
    submit(given: CopyConnection) {
      connection = given
      given.query(text)
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      if (filled + chunk.length > CHUNK_BYTES) flush()
      if (chunk.length >= CHUNK_BYTES) stream.push(Buffer.from(chunk))
      else filled += chunk.copy(gathered, filled)
    },
    handleCommandComplete(message: { text: string }) {
      rows = rowsOf(message)
    },
    handleReadyForQuery() {
      flush()
      stream.push(null)
    },
    handleError: (error: Error) => void stream.destroy(error),
  }
  client.query(query as unknown as Submittable)
  return { stream, rows: () => rows }
}

/** Sends `source` to a `copy ... from stdin`. Returns the number of rows. */
export function copyIn(client: ClientBase, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((done, failed) => {
    let rows = 0
    let fault: Error | null = null
    const send = async (connection: CopyConnection): Promise<void> => {
      try {
        for await (const chunk of source) {
          if (fault) return
          connection.sendCopyFromChunk(chunk)
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
        }
        connection.endCopyFrom()
      } catch (error) {
        if (fault) return
        fault = error as Error
        connection.sendCopyFail(fault.message)
      }
    }
    const query = {
      ...unexpected,
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => void send(connection),
      handleCommandComplete(message: { text: string }) {
        rows = rowsOf(message)
      },
      handleReadyForQuery: () => done(rows),
      handleError(error: Error) {
        fault ??= error
        failed(fault)
      },
    }
    client.query(query as unknown as Submittable)
  })
}

/** Messages that do not occur in a COPY. */
const unexpected = {
  handleRowDescription() {},
  handleDataRow() {},
  handlePortalSuspended() {},
  handleEmptyQuery() {},
  handleCopyInResponse() {},
  handleCopyData() {},
}
