import { createHash } from 'node:crypto'
import { AppError } from '../../http/errors.ts'

/** What a cursor is tied to: one version of the data and every parameter that determines the rows and their order. */
export interface CursorScope {
  datasetVersion: string
  parameters: Record<string, unknown>
}

const CURSOR = /^[A-Za-z0-9_-]{22}$/

/**
 * A position in a result as 22 opaque characters: offset, data version, parameters and a checksum, 4 bytes each. It is
 * not a secret and grants nothing, so the checksum needs no key; it only tells an altered cursor from an outdated one.
 */
export function encodeCursor(scope: CursorScope, offset: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(offset, 0)
  bytes.writeUInt32BE(hash(scope.datasetVersion), 4)
  bytes.writeUInt32BE(hash(JSON.stringify(scope.parameters)), 8)
  bytes.writeUInt32BE(hash(bytes.subarray(0, 12)), 12)
  return bytes.toString('base64url')
}

/**
 * The offset. Throws invalid_parameter for a cursor that was altered or belongs to another request, cursor_expired for
 * older data.
 */
export function decodeCursor(cursor: string, scope: CursorScope): number {
  const bytes = Buffer.from(cursor, 'base64url')
  // Compared as text too: base64 has several spellings for the same bytes.
  const intact =
    CURSOR.test(cursor) &&
    bytes.toString('base64url') === cursor &&
    bytes.readUInt32BE(12) === hash(bytes.subarray(0, 12))
  const refuse = (why: string) =>
    new AppError('invalid_parameter', `${why} Repeat the request without cursor to start over.`, { param: 'cursor' })
  if (!intact) throw refuse('This cursor is damaged; it must be sent exactly as it was received.')
  if (bytes.readUInt32BE(8) !== hash(JSON.stringify(scope.parameters))) {
    throw refuse(
      'This cursor belongs to a different request; send it with the parameters of the request that returned it (limit may change).',
    )
  }
  if (bytes.readUInt32BE(4) !== hash(scope.datasetVersion))
    throw new AppError('cursor_expired', undefined, { param: 'cursor' })
  return bytes.readUInt32BE(0)
}

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest().readUInt32BE(0)
