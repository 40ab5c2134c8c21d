import type { Queryable } from '../../db/database.ts'
import { findUpstream } from './find-upstream.ts'
import { changeUpstream, setState } from './store.ts'

/** Takes an upstream's tools away, and keeps its versions. Throws an Error for an unknown upstream, or one that was never published. */
export const pause = (db: Queryable, id: string): Promise<void> => set(db, id, 'paused')

/** Serves the version that was served before the pause. Throws as `pause` does. */
export const resume = (db: Queryable, id: string): Promise<void> => set(db, id, 'published')

const set = (db: Queryable, id: string, state: 'paused' | 'published'): Promise<void> =>
  changeUpstream(db, id, async (tx) => {
    const { published } = await findUpstream(tx, id)
    if (published === null) throw new Error(`${id} was never published.`)
    await setState(tx, id, state, published)
  })
