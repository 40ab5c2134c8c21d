import type { Queryable } from '../../../db/database.ts'
import type { Prepared } from '../prepare-version.ts'
import { readUpstreams, readVersion } from '../store.ts'
import { approvedPins, changedParts } from './offered.ts'

/** What the operator approves by publishing: what an MCP server offers whose definitions differ from those that are served, a line each. */
export async function changeNotes(db: Queryable, { version: { id, operations } }: Prepared): Promise<string[]> {
  const published = (await readUpstreams(db, id))[0]?.published
  const served = published ? await readVersion(db, id, published) : undefined
  if (!served) return []
  const before = approvedPins(served.operations)
  return [...approvedPins(operations)].flatMap(([name, pins]) => {
    const approved = before.get(name)
    if (!approved) return [`New since version ${published}: ${name}`]
    const changed = changedParts(approved, pins)
    return changed.length === 0 ? [] : [`Changed since version ${published}: ${name} (${changed.join(', ')})`]
  })
}
