import type { Queryable } from '../../db/database.ts'
import { readUpstreams, type UpstreamRow } from './store.ts'

/** Throws an Error when there is no such upstream. */
export async function findUpstream(db: Queryable, id: string): Promise<UpstreamRow> {
  const [found] = await readUpstreams(db, id)
  if (!found) throw new Error(`There is no upstream ${id}.`)
  return found
}

/** Throws an Error when the upstream does not have the version. */
export function requireVersion({ id, versions }: UpstreamRow, version: number): number {
  if (versions.some((one) => one.version === version)) return version
  throw new Error(`${id} has no version ${version}; it has ${versions.map((one) => one.version).join(', ')}.`)
}
