import type { Queryable } from '../../db/database.ts'
import { findUpstream, requireVersion } from './find-upstream.ts'
import { requireStored } from './secrets/uses-of-secrets.ts'
import { changeUpstream, setState } from './store.ts'

/** Serves an earlier version, by default the one before that which is served. Returns its number. Throws an Error when there is none. */
export const rollBack = (db: Queryable, id: string, version?: number): Promise<number> =>
  changeUpstream(db, id, async (tx) => {
    const found = await findUpstream(tx, id)
    const { published, versions, state } = found
    if (published === null) throw new Error(`${id} was never published.`)
    const before = version ?? versions.find((one) => one.version < published)?.version
    if (before === undefined) throw new Error(`${id} has no version before ${published}.`)
    await requireStored(tx, id, requireVersion(found, before))
    await setState(tx, id, state, before)
    return before
  })
