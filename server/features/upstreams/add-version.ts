import type { Queryable } from '../../db/database.ts'
import type { Prepared } from './prepare-version.ts'
import { changeUpstream, insertVersion, setState } from './store.ts'

/** Stores a version and, unless it is a draft, publishes it: servers serve it within two seconds. Returns its number. */
export const addVersion = (db: Queryable, { version, document }: Prepared, draft: boolean): Promise<number> =>
  changeUpstream(db, version.id, async (tx) => {
    const number = await insertVersion(tx, version, document)
    if (!draft) await setState(tx, version.id, 'published', number)
    return number
  })
