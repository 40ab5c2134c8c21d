import type { Queryable } from '../../db/database.ts'
import { parseDocument } from './document/load-document.ts'
import { readOperations } from './document/read-operations.ts'
import { uncappedPrices } from './manifest.ts'
import { readDocument, readUpstreams, readVersion } from './store.ts'

/**
 * Published versions that were stored by a release which did not note yet where path values may not lead, so that their operations can be made
 * to call others, or did not ask what an answer without rows costs. Publishing them again mends it. Reads each description again, so it is
 * for commands, not for servers.
 */
export async function outdatedVersions(db: Queryable): Promise<{ id: string; version: number; problem: string }[]> {
  const outdated: { id: string; version: number; problem: string }[] = []
  for (const { id, published: version } of await readUpstreams(db)) {
    const stored = version === null ? undefined : await readVersion(db, id, version)
    const uncapped = stored ? uncappedPrices(stored.manifest) : []
    if (uncapped.length > 0)
      outdated.push({
        id,
        version: version!,
        problem: `charges one portion for an answer without the rows that it counts (${uncapped.join(', ')}). Add most or missing: 0, and publish its manifest again`,
      })
    if (stored?.manifest.kind !== 'openapi' || !stored.operations.some(({ path }) => path.includes('{'))) continue
    const { document } = await parseDocument((await readDocument(db, id, version!))!, stored.manifest.document)
    const { operations } = readOperations(document, [], () => false)
    const due = new Map(operations.map((one) => [one.id, one.narrower]))
    const lacks = stored.operations.some((one) => due.get(one.id)?.some((path) => !one.narrower?.includes(path)))
    if (lacks)
      outdated.push({
        id,
        version: version!,
        problem: 'is of a release that did not check where path values lead. Publish its manifest again',
      })
  }
  return outdated
}
