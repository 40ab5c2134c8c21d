import type { Queryable } from '../../../db/database.ts'
import type { Prepared } from '../prepare-version.ts'
import { readUpstreams, readVersion } from '../store.ts'
import { changedParts } from './read-tools.ts'

/** What the operator approves by publishing: the tools of an MCP server whose definitions differ from those that are served, a line each. */
export async function changeNotes(db: Queryable, { version: { id, operations } }: Prepared): Promise<string[]> {
  const published = (await readUpstreams(db, id))[0]?.published
  const served = published ? await readVersion(db, id, published) : undefined
  const before = new Map(served?.operations.map((operation) => [operation.id, operation]))
  return operations.flatMap((operation) => {
    const approved = before.get(operation.id)?.mcp
    if (!served || !operation.mcp) return []
    if (!approved) return [`New since version ${published}: ${operation.id}`]
    const changed = changedParts(approved.pins, operation.mcp.pins)
    return changed.length === 0 ? [] : [`Changed since version ${published}: ${operation.id} (${changed.join(', ')})`]
  })
}
