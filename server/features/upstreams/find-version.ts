import type { Queryable } from '../../db/database.ts'
import type { Manifest } from './manifest.ts'
import { readDocument, readVersion } from './store.ts'

/** The manifest of a version, with the description that it was read from; null: there is no such version. */
export async function findVersion(
  db: Queryable,
  id: string,
  version: number,
): Promise<{ manifest: Manifest; document: string } | null> {
  const stored = await readVersion(db, id, version)
  const document = await readDocument(db, id, version)
  return stored && document !== undefined ? { manifest: stored.manifest, document } : null
}
