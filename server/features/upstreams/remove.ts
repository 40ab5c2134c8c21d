import type { Queryable } from '../../db/database.ts'
import { findUpstream } from './find-upstream.ts'
import { changeUpstream, deleteUpstream } from './store.ts'

/** Removes an upstream with all its versions. Usage rows and receipts keep the names of its tools. Throws an Error for an unknown one. */
export const removeUpstream = (db: Queryable, id: string): Promise<void> =>
  changeUpstream(db, id, async (tx) => {
    await findUpstream(tx, id)
    await deleteUpstream(tx, id)
  })
