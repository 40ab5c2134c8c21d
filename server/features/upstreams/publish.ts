import type { Queryable } from '../../db/database.ts'
import { findUpstream, requireVersion } from './find-upstream.ts'
import { requireStored } from './secrets/uses-of-secrets.ts'
import { changeUpstream, setState } from './store.ts'

/** Serves a version, by default the newest. It ends a pause. Returns its number. Throws an Error for an unknown upstream or version. */
export const publishVersion = (db: Queryable, id: string, version?: number): Promise<number> =>
  changeUpstream(db, id, async (tx) => {
    const found = await findUpstream(tx, id)
    const chosen = requireVersion(found, version ?? found.versions[0]!.version)
    await requireStored(tx, id, chosen)
    await setState(tx, id, 'published', chosen)
    return chosen
  })
